#!/bin/sh
# a link is one more name of the container that it leads to, until rm --link forgets it
# tags: create,rm,inspect
# weight: rare
trap '$DOCKER rm -f $N $N-2 >/dev/null 2>&1' EXIT
try() {
	echo "# $*" | sed "s/$N/NAME/g"
	$DOCKER "$@" >out 2>&1; echo "$?"
	sed "s/$N/NAME/g" out
}
$DOCKER run -d --name $N --network none $IMAGE sleep 100 >/dev/null
$DOCKER create --name $N-2 --link $N:ali --link $N $IMAGE true >/dev/null
links() { $DOCKER inspect -f '{{json .HostConfig.Links}}' $N-2 | sed "s/$N/NAME/g"; }
links
try inspect -f '{{.Name}}' $N-2/ali
try inspect -f '{{.Name}}' /$N-2/$N
try exec $N-2/ali echo hi
try logs $N-2/ali
try inspect -f '{{.Name}}' $N-2/none
try inspect -f '{{.Name}}' $N/ali
try rm --link $N-2/none
try rm --link $N-2
try rm --link $N-none/ali
try rm --link $N-2/ali
links
try exec $N-2/ali true
try rm -l /$N-2/$N
links
try rm --link $N-2/ali
