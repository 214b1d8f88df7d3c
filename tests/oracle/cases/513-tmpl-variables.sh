#!/bin/sh
# variables, define, template, block
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{$x := 1}}{{$x}}' \
  '{{$x := 1}}{{$x = 2}}{{$x}}' \
  '{{$nosuch}}' \
  '{{define "x"}}T{{end}}{{template "x"}}' \
  '{{block "b" .}}B{{end}}' \
  '{{template "nosuch"}}' \
  '{{define "x"}}{{.}}{{end}}{{template "x" "v"}}' \
  '{{$.State.Status}}' \
  '{{range .Args}}{{$.State.Status}} {{end}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
