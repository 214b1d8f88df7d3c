#!/bin/sh
# start with -a of what can be attached to neither: what is paused, or waits for its next run
# tags: error start pause restart
# weight: rare
trap '$DOCKER rm -fv $N ${N}b >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
$DOCKER pause $N >/dev/null
$DOCKER start -a $N 2>&1; echo $?
$DOCKER start -i $N 2>&1; echo $?
$DOCKER run -d --name ${N}b --network none --restart always $IMAGE sh -c 'exit 3' >/dev/null
is() { $DOCKER inspect -f '{{.State.Status}} {{.RestartCount}}' ${N}b; }
while :; do
	before=$(is)
	case $before in *restarting*[4-9]) ;; *) continue ;; esac
	said=$($DOCKER start -a ${N}b 2>&1; echo $?)
	[ "$(is)" != "$before" ] || break
done
echo "$said"
