#!/bin/sh
# what --gpus asks for, in templates: lists that are not there are empty
# tags: inspect
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f $N' EXIT
for gpus in all 2 device=0 '"device=0,1",driver=x' driver=x,capabilities=utility,count=1; do
	echo "# $gpus"
	$DOCKER create --name $N --gpus "$gpus" $IMAGE true >/dev/null
	$DOCKER inspect -f '{{.HostConfig.DeviceRequests}} {{json .HostConfig.DeviceRequests}}' $N
	$DOCKER inspect -f '{{range .HostConfig.DeviceRequests}}{{.Driver}} {{.Count}} {{.DeviceIDs}} {{len .DeviceIDs}} {{.Capabilities}} {{.Options}}{{end}}' $N
	$DOCKER rm $N >/dev/null
done
