#!/bin/sh
# a file or a volume whose name is empty has none; stats shows a container once, however often it is named
# tags: cli
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f $N; $DOCKER rmi ${N}i' EXIT
$DOCKER create --name $N --network none --entrypoint true $IMAGE >/dev/null
$DOCKER export -o "" $N | tar t | grep -c '^etc/passwd$'
$DOCKER export -o x -o "" $N | tar t | grep -c '^etc/passwd$'
$DOCKER tag $IMAGE ${N}i
$DOCKER save --output= ${N}i | tar t | grep -c '^manifest.json$'
$DOCKER save -o y ${N}i
$DOCKER load -i "" <y | sed "s/$N/N/"
$DOCKER load --input nope --input= <y | sed "s/$N/N/"
ls
$DOCKER stats --no-stream --format '{{.Name}}' $N $N $N | sed "s/$N/N/"
$DOCKER stop --time 1 --time 0 $N 2>&1 | sed "s/$N/N/"
$DOCKER volume create --name "" ${N}v | sed "s/$N/N/"
$DOCKER volume create --name x ${N}v 2>&1 | sed "s/$N/N/"
$DOCKER volume rm ${N}v | sed "s/$N/N/"
