#!/bin/sh
# a seccomp profile that is JSON and no object: null is none, the rest is told at the start
# tags: run security error ids
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
for text in null '{}' '[]' '""' 1 -1.5 true '[null]' ' null '; do
	echo "[$text]"; printf '%s' "$text" >f
	$DOCKER create --name ${N}a --network none --security-opt seccomp=f $IMAGE grep -i seccomp: /proc/self/status >/dev/null; echo "create rc=$?"
	$DOCKER start -a ${N}a 2>&1 | sed 's/2$/FILTER/; s/^Seccomp.*0$/none/'
	$DOCKER rm ${N}a >/dev/null
done
