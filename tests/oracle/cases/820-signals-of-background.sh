#!/bin/sh
# the client hears SIGINT and SIGTERM where a shell has it ignore them, as it does with what runs in the background
# tags: events, logs, run
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
trap '' INT TERM
$DOCKER run -d --network none --name $N $IMAGE sh -c 'echo up; exec sleep 1000' >/dev/null
# told SIGNAL COMMAND...: its status, when the signal came after its first line
told() {
	signal=$1
	shift
	rm -f out
	"$@" >out 2>&1 &
	pid=$!
	while [ ! -s out ]; do sleep 0.05; done
	kill -"$signal" $pid
	wait $pid
	echo "$signal: $?"
}
for signal in INT TERM; do
	told $signal $DOCKER logs -f $N
	told $signal $DOCKER events --since 1h --filter container=$N
	told $signal $DOCKER run --rm --network none $IMAGE sh -c "trap 'exit 9' $signal; echo up; while :; do sleep 0.05; done"
done
