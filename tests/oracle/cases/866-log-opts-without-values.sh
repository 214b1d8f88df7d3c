#!/bin/sh
# options of log drivers without a value, or with an empty one: what the creation and the start say
# tags: create,logs
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT

try() {
	echo "== $*"
	if $DOCKER create --name $N --network none "$@" $IMAGE true 2>&1 >/dev/null | head -n 1 | grep .; then
		return
	fi
	$DOCKER inspect -f '{{json .HostConfig.LogConfig}}' $N
	$DOCKER start $N 2>&1 | head -n 1 | sed "s/$N/NAME/"
	$DOCKER rm -f $N >/dev/null
}

for driver in json-file local; do
	for word in max-buffer-size max-buffer-size= mode mode= mode=x max-size max-size= max-file max-file= compress \
		compress= tag tag= labels labels= labels-regex env env-regex =x; do
		try --log-driver $driver --log-opt $word
	done
	try --log-driver $driver --log-opt ''
	for word in max-buffer-size max-buffer-size= max-buffer-size=1m max-buffer-size=-1 max-buffer-size=x; do
		try --log-driver $driver --log-opt mode=non-blocking --log-opt $word
	done
	try --log-driver $driver --log-opt mode=blocking --log-opt max-buffer-size=1m
	try --log-driver $driver --log-opt mode --log-opt max-buffer-size
done
try --log-driver none --log-opt max-buffer-size
# the mode comes before the driver, and before what nobody knows
for driver in gelf awslogs nosuch json-file; do
	try --log-driver $driver --log-opt mode=x --log-opt foo
	try --log-driver $driver --log-opt foo --log-opt max-buffer-size
	try --log-driver $driver --log-opt foo=1 --log-opt mode=non-blocking --log-opt max-buffer-size=x
done
try --log-opt mode=blocking --log-opt mode=x
try --log-opt mode=x --log-opt mode=blocking
