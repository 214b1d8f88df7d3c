#!/bin/sh
# which of several errors of a create is told, and that none of them leaves a volume
# tags: create, volume
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
$DOCKER create --network none --name $N $IMAGE true >/dev/null
try() {
	echo "== $*" | sed "s/$N/NAME/g"
	$DOCKER "$@" >out 2>err; echo "$?"
	sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g" err
	$DOCKER volume ls -q --filter name=$N-v
}
for w in '-m 4m' '--cpu-period 5' '--cpuset-cpus abc' '--restart sometimes' '--stop-signal NOPE' '--cap-add NOPE' \
	'--tmpfs tmp' '--oom-score-adj 2000' '-w rel' '--mount type=volume,dst=x' '--log-opt foo=1'; do
	try create --network none --name x $w $IMAGE true
	try create --network none --name $N $w $IMAGE true
done
for w in '-m 4m' '-w rel' '--restart sometimes' '--hostname y --uts host' '--isolation hyperv'; do try run $w $N-none true; done
try create --network none --name $N -v $N-v:/v $IMAGE true
try run --network none --name $N --mount type=volume,src=$N-v,dst=/v $IMAGE true
try create --network none --name x -v $N-v:/v $IMAGE true
try create --network none --name $N --volumes-from $N-none $IMAGE true
try create --network none --name x --volumes-from $N-none $IMAGE true
for text in '' hi x "'" '\'; do
	printf '%s' "$text" >profile
	try create --network none --security-opt seccomp=profile $IMAGE true
done
