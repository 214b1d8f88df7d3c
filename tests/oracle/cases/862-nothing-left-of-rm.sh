#!/bin/sh
# a container of --rm that does not start takes its volumes with it
# tags: run,volume
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
try() {
	$DOCKER run --rm --name $N -l $N -v /x -v $N:/y --mount dst=/z --label $N "$@" >out 2>err
	echo "$? $($DOCKER ps -aq --filter label=$N | wc -l) $($DOCKER volume ls -q --filter name=$N)" | sed "s/$N/N/"
	grep -c . out
}
all() { $DOCKER volume ls -q --filter dangling=true | grep -cE '^[0-9a-f]{64}$'; }
try --network none $IMAGE /nosuch
try --network $N-nosuch $IMAGE true
try --network none --tmpfs /t:bad $IMAGE true
try --network none -d $IMAGE /nosuch
try --network none -w /etc/passwd $IMAGE true
$DOCKER create --rm --name $N --network $N-nosuch --mount src=$N-z,dst=/z -v /x $IMAGE true >/dev/null
ID=$($DOCKER inspect -f '{{range .Mounts}}{{if eq .Destination "/x"}}{{.Name}}{{end}}{{end}}' $N)
$DOCKER start $N 2>&1 | sed "s/$N/N/g"
$DOCKER volume inspect $ID >/dev/null 2>&1
echo "volume $?"
$DOCKER volume ls -q --filter name=$N-z | sed "s/$N/N/g"
$DOCKER volume rm $N-z >/dev/null
