#!/bin/sh
# stop -t of numbers and words
# tags: stop
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for t in 0 1 abc ''; do
  $DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
  $DOCKER stop -t "$t" $N >$TMP/o 2>$TMP/e; echo "$t rc=$?"; low <$TMP/o; head -1 $TMP/e
  $DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}}' $N; $DOCKER rm -f $N >/dev/null
done
