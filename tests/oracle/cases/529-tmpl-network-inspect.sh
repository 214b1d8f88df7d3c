#!/bin/sh
# fields of the network none
# tags: template network inspect
# weight: common
for t in '{{.Name}}' \
  '{{.Driver}} {{.Scope}}' \
  '{{.Internal}} {{.Attachable}} {{.EnableIPv6}} {{.Ingress}} {{.ConfigOnly}}' \
  '{{json .IPAM.Driver}}' \
  '{{json .Options}}' \
  '{{json .Labels}}' \
  '{{.nosuch}}' \
  '{{len .Id}}' \
  '{{len .ID}}'; do
  echo "== $t"
  $DOCKER network inspect -f "$t" none >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
