#!/bin/sh
# commands on a container that was never started
# tags: error cli
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for c in pause unpause top attach logs port diff wait stop kill "stats --no-stream --format {{.Name}}"; do
  $DOCKER $c $N >$TMP/o 2>$TMP/e; echo "$c rc=$?"; low <$TMP/o; low <$TMP/e
done
$DOCKER exec $N true 2>&1 | low
