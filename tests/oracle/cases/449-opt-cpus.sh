#!/bin/sh
# --cpus in decimals
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g; s/to [0-9.]*, as there are only [0-9]* CPU.*/to SOME/"; }
for v in 0.5 1 0.75 .25 0 abc 1e6 0.0000000001 1,5 ''; do
  echo "== $v"
  $DOCKER create --name $N --network none --cpus "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{.HostConfig.NanoCpus}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
