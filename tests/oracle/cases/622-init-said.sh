#!/bin/sh
# --init that was said is true or false in inspect, and null or absent else
# tags: create,inspect
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
for how in --init=false --init=0 --init --init=true; do
	$DOCKER create --name ${N}a $how "$IMAGE" true >/dev/null
	$DOCKER inspect -f '{{json .HostConfig.Init}} {{.HostConfig.Init}}' ${N}a
	$DOCKER inspect ${N}a | grep -c '"Init":'
	$DOCKER rm ${N}a >/dev/null
done
$DOCKER create --name ${N}a "$IMAGE" true >/dev/null
$DOCKER inspect -f '{{json .HostConfig.Init}} {{.HostConfig.Init}}' ${N}a
$DOCKER inspect ${N}a | grep -c '"Init":'
$DOCKER create --init=maybe "$IMAGE" true 2>&1
