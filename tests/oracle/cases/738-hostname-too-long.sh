#!/bin/sh
# names of 64 letters and of 65, which create takes and the kernel does not; a longer domain is cut
# tags: hostname run error
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
name() { printf "%0$1d" 0 | tr 0 n; }
$DOCKER run --rm --network none --hostname $(name 64) $IMAGE sh -c 'hostname | wc -c'
$DOCKER run --name $N --network none --hostname $(name 65) $IMAGE true 2>err; echo "$?"
head -n 1 err | sed 's/failed to create .*container init: //'
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{len .Config.Hostname}}' $N
$DOCKER run --rm --network none --domainname $(name 65) $IMAGE sh -c 'wc -c </proc/sys/kernel/domainname'
