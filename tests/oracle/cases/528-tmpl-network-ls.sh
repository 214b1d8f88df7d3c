#!/bin/sh
# columns of network ls
# tags: template network
# weight: common
for t in '{{.Name}} {{.Driver}} {{.Scope}}' \
  '{{.IPv6}} {{.Internal}} {{.Labels}}|' \
  '{{.Label "a"}}|' \
  '{{.Nosuch}}' \
  'table {{.Name}}' \
  'table {{.Name}}	{{.Driver}}' \
  'raw {{.Name}}' \
  '{{upper .Name}}' \
  '{{json .Name}}' \
  '{{len .ID}}'; do
  echo "== $t"
  $DOCKER network ls -f name=none --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
