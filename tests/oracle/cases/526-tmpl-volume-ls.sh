#!/bin/sh
# columns of volume ls
# tags: template volume
# weight: common
trap '$DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
$DOCKER volume create --label a=b --label c $N >/dev/null
for t in '{{.Name}}|' \
  '{{.Driver}}|' \
  '{{.Scope}}|' \
  '{{.Labels}}|' \
  '{{.Links}}|' \
  '{{.Size}}|' \
  '{{.Availability}}|' \
  '{{.Group}}|' \
  '{{.Status}}|' \
  '{{.Label "a"}}|' \
  '{{.Nosuch}}' \
  'table {{.Name}}	{{.Labels}}' \
  'table {{.Driver}}' \
  '{{upper .Driver}}' \
  'raw' \
  'json {{.Name}}' \
  '{{json .Driver}}'; do
  echo "== $t"
  $DOCKER volume ls -f name=$N --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/  */ /g; s/c=,a=b/a=b,c=/" # docker's client has labels in the order of a map: any
done
