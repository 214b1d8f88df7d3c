#!/bin/sh
# settings of a namespace that is the machine's are refused when the container starts
# tags: run, sysctl
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for w in '--network host --sysctl net.ipv4.ip_forward=1' '--network host --sysctl net.foo=1' '--ipc host --network none --sysctl kernel.msgmax=65536' \
	'--ipc host --network none --sysctl fs.mqueue.msg_max=5' '--network host --sysctl kernel.msgmax=65536' '--network none --sysctl kernel.shmmax=65536'; do
	$DOCKER run --name $N $w $IMAGE true >out 2>err; echo "[$w] $?"
	sed -n 's/.*runc create failed: //p' err
	$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}}' $N
	$DOCKER rm $N >/dev/null
done
