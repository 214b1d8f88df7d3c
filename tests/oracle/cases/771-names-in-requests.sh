#!/bin/sh
# names of objects as docker's client puts them into a request's path: cleaned, and refused where they lead out
# tags: rm,rmi,inspect,volume,network
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1; $DOCKER rmi $N >/dev/null 2>&1; $DOCKER volume rm $N >/dev/null 2>&1' EXIT
try() {
	echo "# $*" | sed "s/$N/NAME/g"
	$DOCKER "$@" >out 2>&1; echo "$?"
	sed "s/$N/NAME/g; s/no such image: [^ ]*: N/N/; s/Error response from daemon: n/Error response from daemon: N/; s/network [ ]*not found/network not found/" out | grep -v '^exit status'
}
for name in '' ' ' .. ../x x/ x//y x/./y ./x /x x/../y; do
	try rm "$name"
	try logs "$name"
	try start "$name"
	try exec "$name" true
	try wait "$name"
	try update -m 6m "$name"
	try volume rm "$name"
	try network rm "$name"
	try tag "$name" $N-none
done
try stats --no-stream ''
try stats --no-stream ' '
for name in '' . .. x/ x//y x/../y; do
	try rmi "$name"
	try history "$name"
done
try rmi -f ''
try rmi ../x ./x /x
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER tag $IMAGE $N; $DOCKER volume create $N >/dev/null
try history --format ok x/../$N
try image inspect --format ok x/../$N
try start ./$N
try rename x/../$N/ $N
try rmi -f x/../$N
try volume inspect -f ok ./$N
try volume rm x/../$N
try network inspect -f ok ./none
try rm -f x/../$N/
