#!/bin/sh
# --log-opt of json-file
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in max-size=10k max-size=abc max-file=2 max-file=0 nosuch=1 labels=a mode=non-blocking mode=blocking mode=x compress=true env=A 'tag={{.ID}}' foo; do
  echo "== $v"
  $DOCKER create --name $N --network none --log-opt "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.LogConfig}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
