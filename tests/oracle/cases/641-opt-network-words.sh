#!/bin/sh
# The long form of --network, and the options which say the same: what is refused, and in which words.
# tags: network,words
# weight: rare
try() {
	$DOCKER create "$@" "$IMAGE" true 2>&1 >/dev/null | head -n 1
}

try --network name=net1,ip=172.20.88.22 --ip 172.20.88.22
try --network name=net1,ip6=2001:db8::8822 --ip6 2001:db8::8822
try --network name=net1,alias=web1 --network-alias web2
try --network name=net1,link-local-ip=169.254.169.254 --link-local-ip 169.254.10.8
try --network name=net1,mac-address=02:32:1c:23:00:04 --mac-address 02:32:1c:23:00:04
try --network name=net1,mac-address=foobar
try --network name=host --network net1
try --network net1 --network name=net1,alias=x
try --network name=none,alias=x
try --network invalidField=x
try --network name=none,driver-opt=x
try --network name=none,driver-opt==x
try --network name=none,gw-priority=1x
try --network name=none,gw-priority=99999999999999999999
try --network alias=x
try --network 'name=x,y'
try --network ' '
for word in host NAME=Host name=none,driver-opt=a=b; do
	id=$($DOCKER create --network "$word" "$IMAGE" true 2>/dev/null)
	$DOCKER inspect -f '{{.HostConfig.NetworkMode}}' "$id"
	$DOCKER rm "$id" >/dev/null
done
