#!/bin/sh
# a network that is not there: looked for when the container is started
# tags: network, create, start
# weight: common
trap '$DOCKER rm -fv $N-a $N-b $N-c $N-d >/dev/null 2>&1' EXIT
hide() { sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g"; }
state() { $DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}} {{.HostConfig.NetworkMode}}' $1 2>&1 | hide; }
$DOCKER create --network $N-nope --name $N-a $IMAGE true 2>&1 | hide
state $N-a
$DOCKER ps -a --filter name=$N-a --format '{{.Names}} {{.Status}} {{.Networks}}' | hide
$DOCKER start $N-a 2>&1 | hide
state $N-a
$DOCKER start -a $N-a 2>&1 | hide
$DOCKER wait $N-a
$DOCKER run --network $N-nope --name $N-b $IMAGE true 2>&1 | hide
state $N-b
$DOCKER run -d --network $N-nope --name $N-c $IMAGE true 2>&1 | hide
state $N-c
$DOCKER run --rm --network $N-nope --name $N-d $IMAGE true 2>&1 | hide
state $N-d
$DOCKER create --network container:$N-nope --name $N-d $IMAGE true 2>&1 | hide
$DOCKER start $N-d 2>&1 | hide
state $N-d
