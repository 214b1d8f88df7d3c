#!/bin/sh
# --cap-add: spellings
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in NET_ADMIN CAP_NET_ADMIN net_admin ALL all nosuch ''; do
  echo "== $v"
  $DOCKER create --name $N --network none --cap-add "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.CapAdd}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
