#!/bin/sh
# commands on a paused container
# tags: error pause
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
$DOCKER pause $N >/dev/null; $DOCKER pause $N 2>&1 | low; $DOCKER exec $N true 2>&1 | low; $DOCKER attach $N 2>&1 | low
$DOCKER start $N 2>&1 | low
$DOCKER inspect -f '{{.State.Status}} {{.State.Running}} {{.State.Paused}}' $N
$DOCKER ps --filter name=$N --format '{{.State}} {{.Status}}' | sed 's/Up .*(/Up (/'
$DOCKER unpause $N | low; $DOCKER unpause $N 2>&1 | low
$DOCKER inspect -f '{{.State.Status}}' $N
