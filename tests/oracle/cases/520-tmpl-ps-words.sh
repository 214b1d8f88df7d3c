#!/bin/sh
# words that are formats, and words that are none
# tags: template ps
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=x,y -v /v $IMAGE sh -c "echo a long command line" >/dev/null
for t in 'pretty' \
  'wide' \
  'foo' \
  '{{' \
  '{{nosuch}}' \
  '{{.State}} {{'; do
  echo "== $t"
  $DOCKER ps -a --filter name=$N --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]*B (virtual [^)]*)/SIZE/; s/[0-9][^ ]* [0-9:]* +0000 UTC/TIME/; s/[A-Za-z0-9 ]* ago/AGO/; s/  */ /g; s/^sha256:.*/ID/"
done
