#!/bin/sh
# a volume without a name may be made for the root, and no container starts with it
# tags: create,volume
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for v in / // /. /x/.. . .. ./ /a/../..; do
	echo "== -v $v"
	$DOCKER create --name $N --network none -v $v $IMAGE true >/dev/null
	echo "create $?"
	$DOCKER inspect -f '{{range .Mounts}}{{.Type}} {{.Destination}} {{.RW}}{{end}} {{json .Config.Volumes}} {{.HostConfig.Binds}}' $N
	$DOCKER start -a $N 2>err
	echo "start $?"
	$DOCKER inspect -f '{{.State.Status}} {{.State.StartedAt}}' $N
	$DOCKER rm -v $N >/dev/null
	$DOCKER run --rm --network none -v $v $IMAGE true 2>err
	echo "run $?"
done
for v in $N:/ $N:/. /tmp:/ /tmp:/x/.. /:/ /tmp:/:ro; do
	$DOCKER create --name $N --network none -v $v $IMAGE true 2>&1 | sed "s/$N/N/g"
done
