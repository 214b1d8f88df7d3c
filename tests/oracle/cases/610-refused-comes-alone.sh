#!/bin/sh
# what docker's daemon refuses is said alone: warnings are for what was made
# tags: run, create
# weight: rare
trap '$DOCKER rm -fv $N $N-2 >/dev/null 2>&1' EXIT
$DOCKER create --network none --name $N $IMAGE true >/dev/null
try() {
	echo "== $*" | sed "s/$N/NAME/g"
	$DOCKER "$@" >out 2>err; echo "$?"
	sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/available: .*/available: SOME/" err
}
for w in '--blkio-weight 500' '--kernel-memory 64m' '-p 80:80 --network host' '--dns 127.0.0.1' '--oom-kill-disable=false' \
	'--blkio-weight 0'; do
	try create $w --name $N $IMAGE true
	try run $w -v /:/ $IMAGE true
done
try create --blkio-weight 500 --cpuset-cpus 999 $IMAGE true
try run --blkio-weight 500 --oom-score-adj 5000 $IMAGE true
for w in cpu-count=1 cpu-percent=0 io-maxbandwidth=1m io-maxiops=1; do
	try create --network none --$w --name $N-2 $IMAGE true
	try run --rm --network none --$w
done
try run --cpu-count 1 --io-maxiops 5 --cpu-percent x $IMAGE true 2>&1
try create --network none --cpu-percent 2 --cpu-count 1 $IMAGE true
try create --network none --dns ::1 --dns 127.0.0.1 --name $N-2 $IMAGE true
try run --network none --detach-keys bogus --name $N-2 $IMAGE true
$DOCKER rm $N-2 >/dev/null
try run --rm --network none --detach-keys bogus --name $N-2 $IMAGE true
$DOCKER inspect -f '{{.State.Status}}' $N-2
for name in /nope //nope ' ' ''; do
	for c in rm stop start pause logs top port diff wait attach export rename; do
		case $c in rename) set -- "$name" x ;; *) set -- "$name" ;; esac
		try $c "$@"
	done
done
