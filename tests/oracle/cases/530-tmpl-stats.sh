#!/bin/sh
# columns of stats
# tags: template stats
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none $IMAGE sleep 100 >/dev/null
for t in '{{.Name}}' \
  '{{.Container}}' \
  '{{.PIDs}}' \
  '{{.ID}}' \
  '{{.Nosuch}}' \
  '{{json .PIDs}}'; do
  echo "== $t"
  $DOCKER stats --no-stream --format "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
