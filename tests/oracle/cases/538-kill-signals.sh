#!/bin/sh
# signals by all their names, to a container that catches none
# tags: kill signal
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for s in TERM SIGTERM 15 term sigterm KILL 9 HUP INT RTMIN SIGRTMIN+3 64 ''; do
  $DOCKER run -d --name $N --network none $IMAGE sh -c 'sleep 1000' >/dev/null
  $DOCKER kill -s "$s" $N >$TMP/o 2>$TMP/e; echo "$s rc=$?"; low <$TMP/o; low <$TMP/e
  $DOCKER rm -f $N >/dev/null
done
