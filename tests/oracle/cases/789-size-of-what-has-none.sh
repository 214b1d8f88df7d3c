#!/bin/sh
# inspect --size of anything but a container is warned of, when there is such a thing
# tags: inspect
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f ${N}c; $DOCKER volume rm ${N}v' EXIT
$DOCKER create --name ${N}c $IMAGE true >/dev/null
$DOCKER volume create ${N}v >/dev/null
try() {
	echo "# $*" | sed "s/$N/N/g; s|$IMAGE|IMAGE|g"
	$DOCKER inspect --size "$@" >out 2>err; echo "$?"
	sed "s/$N/N/g; s/no such object/No such object/" err
}
try ${N}c
try ${N}v
try none
try $IMAGE $IMAGE
try ${N}c ${N}v none ${N}nosuch
try --type image ${N}nosuch 2>&1 | grep -v 'o such image'
try --type volume ${N}v ${N}nosuch
try --type network ${N}nosuch none
try --type container ${N}nosuch
try --type image --format '{{' $IMAGE
