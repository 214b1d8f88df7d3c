#!/bin/sh
# fields of a volume
# tags: template volume inspect
# weight: common
trap '$DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
$DOCKER volume create --label a=b $N >/dev/null
for t in '{{.Name}}' \
  '{{.Driver}} {{.Scope}}' \
  '{{json .Labels}}' \
  '{{.Labels.a}}' \
  '{{json .Options}}' \
  '{{.nosuch}}' \
  '{{.Nosuch}}' \
  '{{index .Labels "a"}}' \
  '{{len .Mountpoint | lt 1}}' \
  '{{json .Status}}'; do
  echo "== $t"
  $DOCKER volume inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
