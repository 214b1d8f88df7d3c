#!/bin/sh
# range over lists and maps, with else, break and continue
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{range .Args}}[{{.}}]{{end}}' \
  '{{range $i,$e := .Args}}{{$i}}:{{$e}} {{end}}' \
  '{{range $k,$v := .Config.Labels}}{{$k}}={{$v}};{{end}}' \
  '{{range .Mounts}}m{{else}}none{{end}}' \
  '{{range .Args}}{{if eq . "-c"}}{{continue}}{{end}}{{.}}{{break}}{{end}}' \
  '{{range .Name}}x{{end}}' \
  '{{range 3}}{{.}}{{end}}' \
  '{{range}}{{end}}' \
  '{{range .Args}}' \
  '{{range $x := .Args}}{{$x}},{{end}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
