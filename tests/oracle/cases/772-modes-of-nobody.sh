#!/bin/sh
# --ipc, --network, --pid of a container without a name: which are refused, and when
# tags: create,start
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
for word in "--ipc container: --network none" "--ipc container:$N-none --network none" "--ipc container:a:b" "--network container" "--network container:" "--network container:$N-none" "--pid container:" "--pid container"; do
	echo "# $word" | sed "s/$N/NAME/g"
	$DOCKER create --name $N $word $IMAGE true 2>&1 >/dev/null | sed "s/$N/NAME/g; s/: Invalid/: invalid/" | head -n 1
	$DOCKER start $N 2>&1 | sed "s/$N/NAME/g" | head -n 1
	$DOCKER rm -f $N >/dev/null 2>&1
done
$DOCKER run --name $N --network none --ipc container: $IMAGE true 2>&1 | head -n 1; $DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}} {{.HostConfig.IpcMode}}' $N
