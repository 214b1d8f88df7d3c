#!/bin/sh
# signals that are none
# tags: kill signal error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
for s in nosuch 0 SIGNOSUCH 1.5; do
  $DOCKER kill -s "$s" $N >$TMP/o 2>$TMP/e; echo "$s rc=$?"; low <$TMP/e
done; $DOCKER inspect -f '{{.State.Running}}' $N
