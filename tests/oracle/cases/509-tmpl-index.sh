#!/bin/sh
# index, slice, len
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{index .Config.Labels "a"}}' \
  '{{index .Config.Labels "nosuch"}}|' \
  '{{index .Args 0}}' \
  '{{index .Args 9}}' \
  '{{index .Name "a"}}' \
  '{{slice .Name 1 2}}' \
  '{{slice .Args 1}}' \
  '{{len .Args}}' \
  '{{len .Name | lt 3}}' \
  '{{len .Config.Labels}}' \
  '{{len 1}}' \
  '{{(index .Args 1)}}' \
  '{{index .Args -1}}' \
  '{{slice .Name 3 1}}' \
  '{{index (index .Args 0) 0}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
