#!/bin/sh
# when the directory that -v names is made, and what --mount says of one that went away
# tags: volume,create,start
# weight: common
trap '$DOCKER rm -fv $N $N-2 >/dev/null 2>&1' EXIT
plain() { sed "s#$TMP#TMP#g; s/$N/NAME/g"; }
state() { $DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' $N | plain | sed 's/failed to create .*container init: //'; }
$DOCKER create --name $N --network none -v $TMP/d/e:/sbx $IMAGE ls /sbx >/dev/null
$DOCKER create --name $N-2 --network none --volumes-from $N $IMAGE ls /sbx >/dev/null
ls
$DOCKER start -a $N-2; echo "$?"
touch d/e/f
$DOCKER start -a $N; echo "$?"
rm -r d
$DOCKER start -a $N; echo "$?"
ls d
rm -r d; touch d
$DOCKER start -a $N 2>/dev/null; echo "$?"; state
rm d
$DOCKER rm $N >/dev/null

mkdir m
$DOCKER create --name $N --network none --mount type=bind,src=$TMP/m,dst=/sbx $IMAGE true >/dev/null
rmdir m
$DOCKER start $N 2>&1 | plain; state
$DOCKER start -a $N 2>&1 | plain
ls
$DOCKER rm $N >/dev/null
$DOCKER run --name $N --network none --mount type=bind,src=$TMP/m,dst=/sbx $IMAGE true 2>&1 | plain
$DOCKER ps -aq --filter name=$N'$'
$DOCKER run --name $N --network none -v /proc/none:/sbx $IMAGE true 2>err; echo "$?"; head -n 1 err; state
