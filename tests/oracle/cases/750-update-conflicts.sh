#!/bin/sh
# update: limits of processors that exclude one another, memory beside swap without a limit, no limit of processes asked
# tags: update
# weight: rare
trap '$DOCKER rm -f $N $N-p $N-q >/dev/null 2>&1' EXIT
id=$($DOCKER create --network none --name $N $IMAGE true)
show() { $DOCKER inspect -f '{{.HostConfig.NanoCpus}} {{.HostConfig.CpuPeriod}} {{.HostConfig.CpuQuota}} {{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.PidsLimit}}' "$1"; }
up() {
	name=$1; shift
	$DOCKER update "$@" "$name" 2>&1 | grep -v 'discarded\.$\|no effect' | sed "s/$id/ID/; s/$N/NAME/"
	show "$name"
}
up $N --cpus 1
up $N --cpu-period 100000
up $N --cpu-quota 50000
up $N --cpus 0.5 --cpu-quota 10000
up $N --cpus 0.5 --cpu-quota 10000 --cpu-period 10000
up $N --cpus 0
up $N --cpus 0.5
id=$($DOCKER create --network none --name $N-p --cpu-period 50000 $IMAGE true)
up $N-p --cpus 1
up $N-p --cpu-quota 25000
up $N-p --cpu-period 0 --cpu-quota 0 --cpus 1
id=$($DOCKER create --network none --name $N-q --cpu-quota 50000 $IMAGE true)
up $N-q --cpus 1
up $N-q --cpu-quota -1
up $N-q --cpus 1
up $N-q --memory 64m --memory-swap -1
up $N-q --memory 256m
up $N-q --pids-limit 5
up $N-q --pids-limit 0
