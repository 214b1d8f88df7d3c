#!/bin/sh
# -p in all its forms
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in 80 80:80 127.0.0.1:80:80 127.0.0.1::80 :80 80: 80:80/udp 80-81:80-81 80-82:80-81 '[::1]:80:80' a:80:80 80:80/xyz 0:80 localhost:80:80; do
  echo "== $v"
  $DOCKER create --name $N --network none -p "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.PortBindings}} {{json .Config.ExposedPorts}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
