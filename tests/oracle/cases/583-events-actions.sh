#!/bin/sh
# what events tell of exec, pause, rename, kill, stop, start
# tags: events
# weight: common
trap '$DOCKER rm -f $N $N-b >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
S=$(date +%s); $DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
$DOCKER exec $N true; $DOCKER exec $N sh -c true; $DOCKER pause $N >/dev/null; $DOCKER unpause $N >/dev/null; $DOCKER rename $N $N-b; $DOCKER kill -s USR2 $N-b >/dev/null; $DOCKER stop -t 0 $N-b >/dev/null; $DOCKER start $N-b >/dev/null; $DOCKER rm -f $N-b >/dev/null; E=$(($(date +%s)+1))
$DOCKER events --since $S --until $E --filter type=container --format '{{.Action}} {{.Actor.Attributes.name}}' | grep $N | low
