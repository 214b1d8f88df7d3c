#!/bin/sh
# options of json-file are read when the container starts; limits are listed by name
# tags: create, logs
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for w in max-size=0 max-size=-1 max-size=x max-size=1k max-file=x max-file=0 max-file=-1 max-file=1 compress=x compress=true compress=false \
	'max-size=1k --log-opt max-file=2 --log-opt compress=1' 'max-size=1k --log-opt compress=1' 'max-file=2 --log-opt compress=t' \
	'max-size=1k --log-opt max-file=2 --log-opt compress=x' 'max-size= --log-opt max-file=' max-file= compress=; do
	$DOCKER create --network none --name $N --log-opt $w $IMAGE true >/dev/null
	echo "== $w"
	$DOCKER start $N 2>&1 | sed "s/$N/NAME/; s/failed to create task for container: //"
	$DOCKER rm -f $N >/dev/null
done
$DOCKER create --network none --name $N --ulimit nproc=5:6 --ulimit nofile=7 --ulimit core=0 --ulimit nproc=8 $IMAGE true >/dev/null
$DOCKER inspect -f '{{json .HostConfig.Ulimits}}' $N
$DOCKER rm $N >/dev/null
for w in name=none,alias=x alias=x,name=host name=none,mac-address=92:d0:c6:0a:29:33,alias=q; do
	echo "== $w"
	$DOCKER create --network $w --name $N $IMAGE true 2>&1 | head -1 | sed 's/^[0-9a-f]\{64\}$/ID/'
	$DOCKER inspect -f '{{.HostConfig.NetworkMode}}' $N 2>/dev/null
	$DOCKER rm $N >/dev/null 2>&1
done
:
