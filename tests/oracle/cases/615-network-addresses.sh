#!/bin/sh
# network create: subnets, and what must lie in them
# tags: network
# weight: rare
trap '$DOCKER network rm $N >/dev/null 2>&1' EXIT
try() {
	echo "== $*"
	$DOCKER network create "$@" $N >out 2>err; echo "$?"
	sed 's/^[0-9a-f]\{64\}$/ID/' out; sed "s/$N/NAME/g; s/Invalid subnet/invalid subnet/" err
	$DOCKER network inspect -f '{{json .IPAM}} {{json .Options}} {{.EnableIPv6}}' $N 2>/dev/null && $DOCKER network rm $N >/dev/null
}
try --subnet 10.9.0.0/24 --gateway 10.9.0.1 --ip-range 10.9.0.0/25 --aux-address a=10.9.0.5 --ipam-opt x=y
try --subnet 10.9.0.0/24 --subnet 10.9.0.0/16
try --subnet 10.9.0.0/24 --gateway 10.8.0.1
try --subnet 10.9.0.0/24 --ip-range 10.8.0.0/25
try --subnet 10.9.0.0/24 --ip-range 10.9.0.0/25 --subnet fd01::/64 --ip-range 10.9.0.128/25
try --subnet 10.9.0.0/24 --subnet fd01::/64 --gateway 10.9.0.2 --gateway 10.9.0.1
try --subnet 10.9.0.0 --gateway 10.9.0.1
try --subnet 10.9.0.0/24 --ip-range 10.9.0.0/99
try --subnet 10.9.0.0/24 --gateway x
try --subnet 10.9.0.0/24 --aux-address a
try --subnet 10.9.0.0/24 --aux-address a=1.1.1.1
try --gateway 1.2.3.4
try --ip-range 1.2.3.0/24
try --aux-address a=1.1.1.1
try --subnet 10.9.0.0/33
try --subnet x
try --subnet 10.9.0.0/24 --gateway 10.9.0.77 -o a=b -o c
