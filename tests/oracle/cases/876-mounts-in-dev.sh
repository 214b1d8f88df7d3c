#!/bin/sh
# what is mounted at /dev/ptmx and below of it keeps the container from starting; at /dev/mqueue it is there
# tags: mounts run error
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b ${N}c ${N}d >/dev/null 2>&1' EXIT
mkdir dir; touch file
told() { grep -o 'error setting up ptmx.*\|error reopening.*' e | sed 's/ [^ ]*merged/ /; s/remove  */remove /'; }
$DOCKER create --name ${N}a --network none -v $TMP/file:/dev/ptmx $IMAGE true >/dev/null; echo "create rc=$?"
$DOCKER start ${N}a 2>e; echo "start rc=$?"; told
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}}' ${N}a
$DOCKER run --name ${N}b --network none --mount type=bind,src=$TMP/dir,dst=/dev/ptmx $IMAGE true 2>e; echo "rc=$?"; told
$DOCKER run --name ${N}c --network none --tmpfs /dev/ptmx/below $IMAGE true 2>e; echo "rc=$?"; told
$DOCKER run --name ${N}d --network none -v $TMP/dir:/dev/null $IMAGE true 2>e; echo "rc=$?"; told
echo there >file
for at in mqueue shm fd stdin core console tty full; do
	$DOCKER run --rm --network none -v $TMP/file:/dev/$at $IMAGE cat /dev/$at
done
$DOCKER run --rm --network none --ipc host -v $TMP/file:/dev/mqueue $IMAGE cat /dev/mqueue
