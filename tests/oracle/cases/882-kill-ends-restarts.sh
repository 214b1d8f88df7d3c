#!/bin/sh
# after kill with its stop signal, or with any where it has none, no restart policy starts a container again, even if the
# signal did not end it
# tags: kill,restart
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
state() { $DOCKER inspect -f '{{.State.Status}} {{.RestartCount}}' $N; }
until_is() {
	i=0
	while [ $i -lt 100 ] && [ "$(state)" != "$1" ]; do sleep 0.1; i=$((i + 1)); done
	state
}
t() {
	$DOCKER create --name $N --network none --restart always "$@" $IMAGE \
		sh -c 'trap "exit 3" TERM; trap "echo on" HUP; echo on; while :; do sleep 0.1; done' >/dev/null
	$DOCKER start $N >/dev/null
	until [ -n "$($DOCKER logs $N)" ]; do sleep 0.1; done
}
said() { until [ "$($DOCKER logs $N | wc -l)" = 2 ]; do sleep 0.1; done; }
for signal in TERM HUP SIGTERM; do
	t --stop-signal $signal
	$DOCKER kill -s TERM $N >/dev/null
	[ $signal = HUP ] && until_is 'running 1' || until_is 'exited 0'
	$DOCKER rm -f $N >/dev/null
done
t
$DOCKER kill -s TERM $N >/dev/null
until_is 'exited 0'
$DOCKER rm -f $N >/dev/null
for signal in '' '--stop-signal TERM'; do
	t $signal
	$DOCKER kill -s HUP $N >/dev/null
	said
	$DOCKER exec $N sh -c 'kill -s TERM 1'
	[ -z "$signal" ] && until_is 'exited 0' || until_is 'running 1'
	$DOCKER rm -f $N >/dev/null
done
