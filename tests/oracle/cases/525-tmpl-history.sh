#!/bin/sh
# columns of history
# tags: template history
# weight: common
for t in '{{.CreatedBy}}|{{.Comment}}' \
  '{{.Nosuch}}' \
  'table {{.Comment}}' \
  '{{json .Comment}}' \
  '{{.Tags}}' \
  '{{upper .Comment}}'; do
  echo "== $t"
  $DOCKER history --format "$t" $IMAGE >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
