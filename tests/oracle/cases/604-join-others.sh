#!/bin/sh
# namespaces of another container: kept by its id, and refused where it does not run
# tags: network, start
# weight: common
names="$N-a $N-b $N-f $N-g $N-h $N-m $N-o"
trap '$DOCKER rm -fv $names >/dev/null 2>&1' EXIT
hide() { sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g"; }
state() { $DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' $1 2>&1 | hide; }
$DOCKER create --network none --ipc shareable --name $N-a $IMAGE sleep 1000 >/dev/null
$DOCKER create --network container:$N-a --name $N-f $IMAGE true >/dev/null
$DOCKER create --network none --pid container:$N-a --name $N-g $IMAGE true >/dev/null
$DOCKER create --network none --ipc container:$N-a --name $N-h $IMAGE true >/dev/null
for c in f g h; do $DOCKER start $N-$c 2>&1 | hide; state $N-$c; done
$DOCKER start $N-a | hide
$DOCKER rename $N-a $N-b
$DOCKER inspect -f '{{.HostConfig.NetworkMode}} {{.HostConfig.PidMode}} {{.HostConfig.IpcMode}}' $N-f $N-g $N-h | hide
for c in f g h; do $DOCKER start $N-$c 2>&1 | hide; $DOCKER wait $N-$c; done
$DOCKER create --network none --pid container:$N-nope $IMAGE true 2>&1 | hide
$DOCKER create --network none --ipc container:$N-nope $IMAGE true 2>&1 | hide
$DOCKER run -d --network none --name $N-m $IMAGE sleep 1000 >/dev/null
$DOCKER run --rm --network none --ipc container:$N-m $IMAGE true 2>&1 | hide
$DOCKER rm -f $N-b >/dev/null
for c in f g h; do $DOCKER start $N-$c 2>&1 | hide; done
$DOCKER create --rm --network none --device /dev/nope --name $N-o $IMAGE true >/dev/null
$DOCKER start $N-o 2>&1 | hide
$DOCKER ps -aq --filter name=$N-o | wc -l
