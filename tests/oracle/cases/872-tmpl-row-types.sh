#!/bin/sh
# a whole row of a listing as a value: its type, and what takes none
# tags: template ps images volume network history
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 $IMAGE true >/dev/null
$DOCKER volume create --label a=1 $N >/dev/null
for of in "ps -a --filter name=$N" "images $IMAGE" "volume ls --filter name=$N" "network ls --filter name=^none$" "history $IMAGE"; do
  for t in '{{printf "%T" .}}' \
    '{{len .}}' \
    '{{index . "a"}}' \
    '{{slice . 1}}' \
    '{{eq . .}} {{ne . .}} {{not .}} {{if .}}y{{end}}' \
    '{{upper .}}' \
    '{{join . ","}}' \
    '{{printf .}}' \
    'table {{json .}}' \
    'table {{upper .}}' \
    '{{with .}}{{.Nope}}{{end}}'; do
    echo "== $of $t" | sed "s/$N/NAME/g"
    $DOCKER $of --format "$t" 2>&1 | sed 's/^{.*/{}/'
  done
done
for of in "ps -a --filter name=$N" "volume ls --filter name=$N"; do
  for t in '{{.Label 1}}' '{{.Label nil}}' '{{.Label true}}' '{{.Label 1.5}}' '{{.Label .}}' "{{.Label 'a'}}" '{{.Label (len "a")}}' '{{1 | .Label}}' \
    '{{"a" | .Label}}' '{{.Label "a" "b"}}'; do
    echo "== $of $t" | sed "s/$N/NAME/g"
    $DOCKER $of --format "$t" 2>&1
  done
done
for f in none 'table {{.Nope}}' 'table {{.ID}}\t{{.Nope}}'; do
  $DOCKER ps --filter name=nobody-has-this --format "$f" 2>&1
done
