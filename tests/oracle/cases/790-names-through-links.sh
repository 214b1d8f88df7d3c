#!/bin/sh
# what a container is called by those that --link it is shown by ps --no-trunc, and by df -v where a format asks
# tags: ps,create,rm
# weight: rare
trap '$DOCKER rm -f $N $N-2 $N-3 >/dev/null 2>&1' EXIT
show() {
	echo "# $*"
	$DOCKER ps -a --filter name=$N --format '{{.Names}}' | sed "s/$N/NAME/g"
	$DOCKER ps --no-trunc --filter name=$N --format '{{.Names}}' | sed "s/$N/NAME/g"
	$DOCKER ps -a --no-trunc --filter name=$N --format json | sed 's/.*\("Names":"[^"]*"\).*/\1/; s/'$N'/NAME/g'
	$DOCKER system df -v --format '{{range .Containers}}{{println .Names}}{{end}}' | grep $N | sed "s/$N/NAME/g"
	$DOCKER system df -v | grep $N | sed "s/.* //; s/$N/NAME/g"
}
$DOCKER run -d --name $N --network none $IMAGE sleep 100 >/dev/null
$DOCKER create --name $N-2 --link $N:ali --link $N --network none $IMAGE true >/dev/null 2>&1
$DOCKER create --name $N-3 --link $N:x --link $N-2 --network none $IMAGE true >/dev/null 2>&1
show links of those that do not run
$DOCKER rename $N-3 $N-0
show renamed
$DOCKER rm --link $N-2/ali >/dev/null
show one forgotten
$DOCKER rm -f $N-2 $N-0 >/dev/null
show all gone
