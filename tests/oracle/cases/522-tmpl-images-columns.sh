#!/bin/sh
# every column of images, tables and words
# tags: template images
# weight: common
trap '$DOCKER rmi $N:t >/dev/null 2>&1' EXIT
$DOCKER tag $IMAGE $N:t
for t in '{{.ID}}|' \
  '{{.Repository}}|' \
  '{{.Tag}}|' \
  '{{.Digest}}|' \
  '{{.CreatedSince}}|' \
  '{{.CreatedAt}}|' \
  '{{.Size}}|' \
  '{{.Containers}}|' \
  '{{.SharedSize}}|' \
  '{{.UniqueSize}}|' \
  '{{.Nosuch}}' \
  'table {{.Repository}}' \
  'table {{.Repository}}	{{.Tag}}	{{.Digest}}	{{.ID}}' \
  'table {{.Size}}' \
  '{{upper .Tag}}' \
  '{{.Repository}}:{{.Tag}}' \
  '{{json .Tag}}' \
  'table {{.Nosuch}}' \
  '{{'; do
  echo "== $t"
  $DOCKER images --format "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g; s/[0-9][^ ]* [0-9:]* +0000 UTC/TIME/; s/[A-Za-z0-9 ]* ago/AGO/; s/  */ /g"
done
