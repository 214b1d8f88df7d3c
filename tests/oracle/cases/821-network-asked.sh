#!/bin/sh
# network create: scopes, networks of settings, address managers, options of the driver
# tags: network
# weight: rare
trap '$DOCKER network rm $N-2 $N >/dev/null 2>&1' EXIT
try() {
	echo "== $*" | sed "s/$N/NAME/g"
	$DOCKER network create "$@" >out 2>err; echo "$?"
	sed 's/^[0-9a-f]\{64\}$/ID/' out; sed "s/$N/NAME/g; s/Invalid subnet/invalid subnet/; /^$/d" err
	$DOCKER network inspect -f '{{.Driver}} {{.Scope}} {{.ConfigOnly}} {{json .ConfigFrom}} {{json .IPAM}} {{json .Labels}} {{json .Options}}' $N-2 2>/dev/null |
		sed "s/$N/NAME/g"
	$DOCKER network rm $N-2 >/dev/null 2>&1
}
for words in --ingress '--scope swarm' '--scope x' '--ingress --scope swarm' '--config-only --driver nope' '--config-only --internal' \
	'--config-only --scope local' '--config-only --subnet x' '--config-only --config-from x' '--config-from nope' \
	'--config-from none' '--config-from x --label a' '--config-from x -o a=b' '--ipam-driver null' \
	'-o com.docker.network.driver.mtu=x' '-o com.docker.network.driver.mtu=-1' '-o com.docker.network.bridge.enable_icc=x' \
	'-o com.docker.network.bridge.host_binding_ipv4=x' '-d host -o com.docker.network.driver.mtu=x' '-d nope --subnet x'; do
	try $words $N-2
done
$DOCKER network create --config-only --subnet 10.123.45.0/24 --label a=b -o x=y $N >/dev/null
try --config-from $N $N-2
try --subnet x $N
$DOCKER network create --config-from $N $N-2 >/dev/null
$DOCKER network rm $N 2>&1 | sed "s/$N/NAME/g"
