#!/bin/sh
# -H and DOCKER_HOST: how they are read, and what is refused
# tags: host, errors
# weight: common
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG
export HOME="$TMP"
for h in tcp:// tcp://a tcp://1:2:3:4 tcp://127.0.0.1:1/p unix:// unix://rel 127.0.0.1:1 :2375 'tcp://[::1]:1' \
	' unix:///x' a:99999 unix: unix:/tmp/x /tmp/x 'tcp://a:1?x' tcp://:1 'a@b:1/p' 'tcp://[::1]:' 'a#b' 'a;b' \
	tcp://tcp://a unix://unix://a npipe:// npipe:////./pipe/x fd:// fd://x ssh:// ssh://u:p@h tcp:/a; do
	echo "[$h] $(timeout 90 $DOCKER -H "$h" context ls --format '{{.DockerEndpoint}}' 2>&1)"
done
for h in tcp://a:b http://a https://a foo://x :// 'a b' '[::1]' a:b:c 'tcp://[::1' 'a%zz' 'tcp://[::1]:x' \
	'tcp://[::1]x' npipe:// fd:// ssh:// ssh://u:p@h 'ssh://h?x' 'ssh://h#x' 'ssh://:1' TCP://a; do
	timeout 90 $DOCKER -H "$h" ps >out 2>&1
	echo "[$h] $? $(cat out)"
done
DOCKER_HOST=foo:// timeout 90 $DOCKER images 2>&1
DOCKER_HOST=foo:// timeout 90 $DOCKER context ls 2>&1
timeout 90 $DOCKER -H unix:///x -H unix:///y ps 2>&1
timeout 90 $DOCKER -H unix:///x -H unix:///y context ls 2>&1
timeout 90 $DOCKER -H foo:// nope 2>&1
timeout 90 $DOCKER -H foo:// run 2>&1
timeout 90 $DOCKER -H foo:// run --nope 2>&1
timeout 90 $DOCKER -H foo:// rename a 2>&1
