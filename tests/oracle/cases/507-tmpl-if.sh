#!/bin/sh
# if, else if, and, or, not, with
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{if .State.Running}}r{{else}}s{{end}}' \
  '{{if eq .State.Status "created"}}C{{end}}' \
  '{{if .State.Running}}a{{else if .Name}}b{{else}}c{{end}}' \
  '{{if and .State.Running .Name}}x{{else}}y{{end}}' \
  '{{if or .State.Running .Name}}x{{else}}y{{end}}' \
  '{{if not .State.Running}}n{{end}}' \
  '{{or .Config.Domainname "d"}}' \
  '{{and .Name 0}}' \
  '{{with .Config}}{{.Image}}{{end}}' \
  '{{with .Config.Domainname}}{{.}}{{else}}none{{end}}' \
  '{{with $x := .Args}}{{len $x}}{{end}}' \
  '{{if}}{{end}}' \
  '{{end}}' \
  '{{else}}' \
  '{{if .Name}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
