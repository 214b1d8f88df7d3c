#!/bin/sh
# inspect: the id of its network a container has once it was started
# tags: inspect,network
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
show() {
	$DOCKER inspect -f '{{range $name, $it := .NetworkSettings.Networks}}{{$name}} {{len $it.NetworkID}}{{end}}' $N
}
$DOCKER create --name $N --network none $IMAGE true >/dev/null
show
$DOCKER start -a $N
show
