#!/bin/sh
# --device-cgroup-rule
# tags: options create
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in 'c 1:3 r' 'c *:* rwm' abc 'x 1:3 r' 'c 1:3 x'; do
  echo "== $v"
  $DOCKER create --name $N --network none --device-cgroup-rule "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.DeviceCgroupRules}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
