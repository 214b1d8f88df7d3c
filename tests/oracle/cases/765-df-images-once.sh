#!/bin/sh
# system df --verbose shows an image once, however many names it has: by the first of them
# tags: system,images
# weight: rare
trap '$DOCKER rmi $N-b:2 $N-a:1 $N-a:3 >/dev/null 2>&1' EXIT
printf 'x' >x && tar cf x.tar x
id=$($DOCKER import x.tar $N-b:2)
$DOCKER tag $N-b:2 $N-a:3
$DOCKER tag $N-b:2 $N-a:1
$DOCKER system df -v --format "{{range .Images}}{{if eq .ID \"$id\"}}{{.Repository}}:{{.Tag}} {{.Containers}}{{println}}{{end}}{{end}}" | sed "s/$N/NAME/"
$DOCKER system df -v | grep -c "$N"
