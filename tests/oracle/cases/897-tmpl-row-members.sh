#!/bin/sh
# what every row of a listing has besides its columns
# tags: template ls
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
$DOCKER volume create $N >/dev/null
$DOCKER create --name $N --network none $IMAGE true >/dev/null
try() {
  while read -r t; do
    echo "== $2 $t"
    "$@" --format "$t" 2>&1 | sed -E "s/$N/NAME/g; s/[0-9a-f]{64}/ID/g"
  done <<'END'
{{.Header}}
{{.FullHeader}}
{{printf "%T %T" .Header .FullHeader}}
{{.HeaderContext}}
{{.HeaderContext.Header}}
{{.HeaderContext.FullHeader}}
{{json .Header}} {{json .FullHeader}}
{{printf "%T" .MarshalJSON}}
{{eq (printf "%s" .MarshalJSON) (json .)}}
{{.FullHeader 1}}
{{.Header 1}}
{{.MarshalJSON 1}}
{{.trunc}}
{{.header}}
{{.c}}
{{.s}}
{{.v}}
{{.n}}
{{.h}}
{{.i}}
{{with .FullHeader}}y{{else}}n{{end}}
{{with .}}{{printf "%T" .}}{{end}}
{{range .MarshalJSON}}{{.}}{{break}}{{end}}
{{index .MarshalJSON 0}}
{{len (slice .MarshalJSON 0 3)}}
table {{.Header}}|{{.FullHeader}}
table {{.HeaderContext}}
table {{.Label "a.b-c_d"}}
table {{.Label}}
table {{.Label 1}}
table {{.Nope "x"}}
END
}
try $DOCKER ps -a --filter name=$N
try $DOCKER images $IMAGE
try $DOCKER volume ls --filter name=$N
try $DOCKER network ls --filter name=^none\$
try $DOCKER history $IMAGE
try $DOCKER stats --no-stream --all $N
try $DOCKER system df
for t in '{{.}}' '{{printf "%+v" .}}' '{{printf "%v" .}}' '{{printf "%T" .}}' 'table {{.}}'; do
  $DOCKER stats --no-stream --all --format "$t" $N 2>&1 | sed -E "s/$N/NAME/g; s/[0-9a-f]{64}/ID/g"
  $DOCKER system df --format "$t" | tail -n 1
done
$DOCKER context ls --format '{{.}}|{{printf "%v %s" . .}}'
$DOCKER context ls --format '{{.c}}'
$DOCKER system df -v --format "{{range .Containers}}{{if eq .Names \"$N\"}}{{.Label \"a\"}}{{.FullHeader}}{{end}}{{end}}"
