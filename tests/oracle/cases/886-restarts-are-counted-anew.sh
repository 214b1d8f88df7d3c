#!/bin/sh
# a start by hand counts restarts from none again, one that fails does too
# tags: start,restart
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
until_is() {
	i=0
	while [ $i -lt 600 ] && [ "$($DOCKER inspect -f "$1" $N)" != "$2" ]; do sleep 0.1; i=$((i + 1)); done
	$DOCKER inspect -f "$1" $N
}
$DOCKER create --name $N --network none --restart on-failure:1 -v $TMP:/t $IMAGE sh -c 'echo x >>/t/log; exit 3' >/dev/null
for how in start restart start; do
	$DOCKER $how $N >/dev/null
	until_is '{{.State.Status}} {{.RestartCount}} {{.State.ExitCode}}' 'exited 1 3'
	wc -l <log
done
$DOCKER rm $N >/dev/null
$DOCKER create --name $N --network none --restart on-failure:1 $IMAGE sh -c 'exec sleep 1000' >/dev/null
$DOCKER start $N >/dev/null
$DOCKER kill -s KILL $N >/dev/null
$DOCKER inspect -f '{{.State.Status}} {{.RestartCount}} {{.State.ExitCode}}' $N
$DOCKER rm $N >/dev/null
$DOCKER create --name $N --network none --restart on-failure:1 -v $TMP:/t $IMAGE sh -c 'test -e /t/once && exec sleep 1000; >/t/once; exit 3' >/dev/null
$DOCKER start $N >/dev/null
until_is '{{.State.Status}} {{.RestartCount}}' 'running 1'
$DOCKER restart -t 0 $N >/dev/null
until_is '{{.State.Status}} {{.RestartCount}}' 'running 0'
