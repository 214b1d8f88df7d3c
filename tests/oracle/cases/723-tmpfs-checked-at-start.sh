#!/bin/sh
# words of --tmpfs that there are not: create takes them, the start refuses
# tags: tmpfs create start error
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
$DOCKER create --name ${N}a --network none --tmpfs /s:bogus $IMAGE true >/dev/null; echo "create rc=$?"
$DOCKER start ${N}a 2>e; echo "start rc=$?"; grep -o 'nvalid tmpfs option.*' e
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' ${N}a
$DOCKER run --rm --network none --tmpfs /s:size=zz $IMAGE true 2>e; echo "run rc=$?"; grep -o 'error mounting "tmpfs" to rootfs at "/s"' e
grep -o 'invalid argument' e
