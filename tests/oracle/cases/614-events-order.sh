#!/bin/sh
# events: a time since which that is after the one until which; kill with numbers that are no signals
# tags: events, kill
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for w in '2030-01-01 2029-01-01' '2030-01-01T00:00:00.5Z 1700000000' '1900000000.25 1800000000' '1900000000 2030-01-01Z'; do
	set -- $w
	$DOCKER events --since $1 --until $2 2>&1; echo $?
done
$DOCKER events --since 1m --until 1h 2>&1 | sed 's/([0-9]*)/(SECONDS)/g'
$DOCKER run -d --network none --name $N $IMAGE sleep 1000 >/dev/null
for s in 99 -1 65 0 NOPE '' ' 9' 9x 1.5 -0; do
	$DOCKER kill -s "$s" $N-none >out 2>err; echo "[$s] $?"; sed "s/$N/NAME/g; s/Cannot kill/cannot kill/; s/Invalid signal/invalid signal/" err
done
for s in 99 -1 65 0 NOPE 9x; do
	$DOCKER kill -s "$s" $N >out 2>err; echo "[$s] $?"; sed "s/$N/NAME/g; s/Cannot kill/cannot kill/; s/Invalid signal/invalid signal/" err
done
$DOCKER stop --time 0 $N 2>err | sed "s/$N/NAME/"; cat err
$DOCKER restart --time=0 $N 2>err | sed "s/$N/NAME/"; cat err
