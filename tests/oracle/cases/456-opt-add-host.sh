#!/bin/sh
# --add-host with : and =
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in h:1.2.3.4 h=1.2.3.4 h:::1 'h:[::1]' h:host-gateway h:1.2.3 h :1.2.3.4 h: h=x; do
  echo "== $v"
  $DOCKER create --name $N --network none --add-host "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.ExtraHosts}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
