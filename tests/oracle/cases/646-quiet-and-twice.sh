#!/bin/sh
# -q beside a format, --time beside --timeout, outputs that are no files, ports as a filter, words of network connect.
# tags: ps,history,stop,save,words
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
ids() { sed -e 's/[0-9a-f]\{64\}/ID/g' -e 's/[0-9a-f]\{12\}/ID/g'; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER ps -a -q --format raw --filter name=$N 2>&1 | ids
$DOCKER ps -a -q --format '{{.Names}}' --filter name=$N 2>&1 | ids
$DOCKER history -q --format '{{.Comment}}x' $IMAGE | grep -c x
$DOCKER history -q --format raw $IMAGE | head -n 1
for c in stop restart; do
	$DOCKER $c --time 1 --timeout 1 $N 2>&1; echo $?
	$DOCKER $c --time 1 -t 1 $N 2>&1; echo $?
done
mkfifo p; ln -s nothing l; mkdir d
for o in /dev/null p l d; do
	$DOCKER save -o $o $IMAGE 2>&1; echo $?
	$DOCKER export -o $o $N 2>&1; echo $?
done
for f in publish=x/y publish=70000 publish=80-x/tcp publish=80-90-x expose=80:90 expose=80/tcp/x; do
	$DOCKER ps -q --filter $f 2>&1; echo $?
done
$DOCKER network connect --link '' none $N 2>&1 | head -n 1
$DOCKER network connect --link a:b:c none $N 2>&1 | head -n 1
$DOCKER network connect --driver-opt x none $N 2>&1 | head -n 1
