#!/bin/sh
# expressions choose labels and environment for the log, and which are none; what the local driver knows
# tags: logs create
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER run --name $N --network none --log-opt labels-regex='^a' --log-opt env-regex='_X$' --log-opt env=F --label ab=1 --label ba=2 \
	-e E_X=x -e E_XY=y -e F=3 $IMAGE echo line
$DOCKER logs --details $N
$DOCKER rm -f $N >/dev/null
said() { sed "s/$N/NAME/; s/[0-9a-f]\{64\}/ID/; s/failed to create task for container: //"; }
for o in 'labels-regex=[' 'env-regex=a('; do
	echo "== $o"
	$DOCKER create --name $N --network none --log-opt "$o" $IMAGE true >/dev/null
	$DOCKER start $N 2>&1 | said
	$DOCKER rm -f $N >/dev/null
done
for o in max-size=1m max-file=2 max-size=x max-file=x max-file=0 max-size=0 compress=x compress=false labels=a env=a env-regex=a labels-regex=a tag=a foo=1; do
	echo "== local $o"
	$DOCKER create --name $N --network none --log-driver local --log-opt "$o" $IMAGE true 2>&1 | said | head -n 1
	$DOCKER start $N 2>&1 | said | head -n 1
	$DOCKER inspect -f '{{.LogPath}}' $N 2>/dev/null
	$DOCKER rm -f $N >/dev/null 2>&1
done
