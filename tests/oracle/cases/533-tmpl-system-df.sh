#!/bin/sh
# columns of system df
# tags: template system
# weight: common
for t in '{{.Type}}' \
  '{{.Nosuch}}' \
  'table {{.Type}}' \
  '{{upper .Type}}' \
  '{{json .Type}}'; do
  echo "== $t"
  $DOCKER system df --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | cat
done
