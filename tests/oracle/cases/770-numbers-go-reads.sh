#!/bin/sh
# numbers in all of Go's spellings: processors are fractions without limits, sizes are floats, and what is too much is less than nothing
# tags: create,update
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
plain() { grep -v ^WARNING | sed "s/Range of/range of/; s/[0-9.]*, as there.*//; s/$N/NAME/g" | head -n 1; }
try() {
	echo "# $1 '$2'"
	$DOCKER create --name $N --network none "$1" "$2" $IMAGE true 2>&1 >/dev/null | plain
	$DOCKER inspect -f "$3" $N 2>/dev/null | head -n 1
	$DOCKER rm $N >/dev/null 2>&1
}
# what is more than one is more than any machine has
for n in 0x1 0X1FFFFFF 0b1 0o1 0100000000 1_000_000 _1 1__0 1_ 0x 0x_1 0x0.8 0x1p-1 1p-2 1p24 1e6 1E-1 1e+6 1e 1e1_0 1e400 1e-400 -0.0 . 1. .5 +1 -1 99999999999999999999 18446744073709551617 \
	1/2 0x2/0b10 010/16 1/-2 -1/2 1.5/2 1/0 1/3 1e-10 ' 1' '1 ' inf nan; do
	try --cpus "$n" '{{.HostConfig.NanoCpus}}'
done
for n in 99999999999g 9999999999999999999999 8191p 8192p 0x1p30 0x10 1_0m 1__0 _1 1e400 64e6 9007199254740993; do
	try -m "$n" '{{.HostConfig.Memory}}'
	try --memory-swap "$n" '{{.HostConfig.MemorySwap}}'
	try --memory-reservation "$n" '{{.HostConfig.MemoryReservation}}'
	try --shm-size "$n" '{{.HostConfig.ShmSize}}'
	try --device-read-bps "/dev/null:$n" '{{json .HostConfig.BlkioDeviceReadBps}}'
	try --mount "type=tmpfs,dst=/a,tmpfs-size=$n" '{{json .HostConfig.Mounts}}'
done
for n in 0x10:0x20 1_0:2_0 1:0x1 5:4 -1:5 5:-1; do try --ulimit "nofile=$n" '{{json .HostConfig.Ulimits}}'; done
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for opt in -m --memory-swap --memory-reservation; do $DOCKER update $opt 99999999999g $N 2>&1 | plain; done
$DOCKER inspect -f '{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.MemoryReservation}}' $N
