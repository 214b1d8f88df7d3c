#!/bin/sh
# what the kernel refuses of a --sysctl is told in runc's words
# tags: run, sysctl
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for w in net.ipv4.ip_forward=x net.core.somaxconn=99999999999999 net.ipv4.conf.nodev.forwarding=1 kernel.shmmax=x \
	kernel.msgmax=99999999999999999999 fs.mqueue.nosuch=9 net.ipv4.ip_unprivileged_port_start=70000; do
	$DOCKER run --name $N --network none --sysctl "$w" $IMAGE true >out 2>err; echo "[$w] $?"
	sed -n 's/.*runc create failed: //p' err
	$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}}' $N
	$DOCKER rm $N >/dev/null
done
