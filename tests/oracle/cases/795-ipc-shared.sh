#!/bin/sh
# who joins another's IPC namespace finds its POSIX shared memory, with its size
# tags: run namespaces
# weight: common
trap '$DOCKER rm -f ${N}a ${N}b >/dev/null 2>&1' EXIT
$DOCKER run -d --name ${N}a --network none --ipc shareable --shm-size 1m $IMAGE sleep 100 >/dev/null
$DOCKER exec ${N}a sh -c 'echo word >/dev/shm/file'
$DOCKER run --rm --network none --ipc container:${N}a --shm-size 8m $IMAGE sh -c 'cat /dev/shm/file
	df -k /dev/shm | tail -n 1 | tr -s " " | cut -d " " -f 2; echo back >/dev/shm/other'
$DOCKER exec ${N}a cat /dev/shm/other
mkdir own
$DOCKER run --rm --network none --ipc container:${N}a -v $TMP/own:/dev/shm $IMAGE ls /dev/shm
$DOCKER run -d --name ${N}b --network none $IMAGE sleep 100 >/dev/null
$DOCKER run --rm --network none --ipc container:${N}b $IMAGE true 2>&1 | head -n 1 | sed 's/[0-9a-f]\{64\}/ID/' | grep -o 'non-shareable IPC.*'
