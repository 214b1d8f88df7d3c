#!/bin/sh
# a paused container goes on after its own stop signal, or after any signal where it has none, and so can heed it
# tags: pause kill stop
# weight: rare
trap '$DOCKER rm -fv $N ${N}b >/dev/null 2>&1' EXIT
try() { $DOCKER pause $1 >/dev/null; shift; "$@" >/dev/null; $DOCKER inspect -f '{{.State.Status}}' $name; }
heeds='trap "echo term; exit 5" TERM; echo ready; while :; do sleep 0.1; done'
ready() { while ! $DOCKER logs $1 | grep -q ready; do :; done; }
name=$N
$DOCKER run -d --name $N --network none $IMAGE sh -c "trap : USR1; $heeds" >/dev/null; ready $N
try $N $DOCKER kill -s USR1 $N
try $N $DOCKER kill -s CONT $N
try $N $DOCKER stop -t 20 $N
$DOCKER logs $N | tail -n 1
$DOCKER inspect -f '{{.State.ExitCode}}' $N
name=${N}b
$DOCKER run -d --name ${N}b --network none --stop-signal TERM $IMAGE sh -c "trap : USR1; $heeds" >/dev/null; ready ${N}b
try ${N}b $DOCKER kill -s USR1 ${N}b
$DOCKER kill -s TERM ${N}b >/dev/null; $DOCKER wait ${N}b
$DOCKER inspect -f '{{.State.Status}}' ${N}b
