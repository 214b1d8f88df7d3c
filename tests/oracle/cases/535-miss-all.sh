#!/bin/sh
# every command on a container that is not there
# tags: error cli
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for c in stop restart pause unpause wait top port logs attach diff export commit start rm inspect "rm -v" "rm -f" "stats --no-stream" "update -m 1g" kill; do
  $DOCKER $c $N-no >$TMP/o 2>$TMP/e; echo "$c rc=$?"; low <$TMP/o; low <$TMP/e
done
$DOCKER rename $N-no x 2>&1 | low; $DOCKER exec $N-no true 2>&1 | low; $DOCKER cp $N-no:/x . 2>&1 | low; $DOCKER cp /etc/passwd $N-no:/x 2>&1 | low
