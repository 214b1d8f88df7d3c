#!/bin/sh
# a volume, a directory and a tmpfs at /etc have hosts, hostname and resolv.conf
# tags: mounts run
# weight: rare
trap '$DOCKER volume rm ${N}v >/dev/null 2>&1' EXIT
mkdir dir
for o in "-v ${N}v:/etc" "-v $TMP/dir:/etc" "--tmpfs /etc" "--tmpfs /etc:ro"; do
	$DOCKER run --rm --network none --hostname told --add-host far:10.1.2.3 $o $IMAGE \
		sh -c 'cat /etc/hostname; grep -c 10.1.2.3 /etc/hosts; test -f /etc/resolv.conf && echo resolv'
done
ls dir
