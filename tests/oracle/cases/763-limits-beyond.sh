#!/bin/sh
# limits that no machine has: which of them create refuses, and which the start
# tags: create,start,update
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
plain() { sed "s/available: .*/available: SOME/; s/Invalid value/invalid value/; s/$N/NAME/g"; }
$DOCKER create --name $N --network none --cpu-shares -1 $IMAGE true >/dev/null 2>&1; echo "$?"
$DOCKER start $N 2>&1 | plain
$DOCKER inspect -f '{{.HostConfig.CpuShares}} {{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' $N
$DOCKER rm $N >/dev/null
$DOCKER run --name $N --network none --cpu-shares -7 $IMAGE true 2>err; echo "$?"
grep invalid err
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' $N
$DOCKER rm $N >/dev/null
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER update --cpu-shares -1 $N 2>&1 | grep -v "has no effect" | plain
$DOCKER inspect -f '{{.HostConfig.CpuShares}}' $N
$DOCKER rm $N >/dev/null
for list in 8192 8193 0-8192 0-8193 0,70000 9223372036854775807 9223372036854775808 99999999999999999999-3; do
	for what in cpus mems; do
		$DOCKER create --name $N --network none --cpuset-$what "$list" $IMAGE true 2>&1 | plain
	done
done
