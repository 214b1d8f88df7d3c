#!/bin/sh
# --stop-signal
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in SIGTERM TERM 15 SIGUSR1 SIGRTMIN+3 nosuch 0 ''; do
  echo "== $v"
  $DOCKER create --name $N --network none --stop-signal "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{.Config.StopSignal}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
