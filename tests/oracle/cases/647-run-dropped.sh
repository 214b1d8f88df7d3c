#!/bin/sh
# A dropped capability makes no device, a variable without a value takes the default away, a device is a device.
# tags: run,cap,env,device
# weight: rare
run() {
	$DOCKER run --rm --network none "$@" 2>"$TMP/said"
	echo "$?"
	grep -v ^WARNING "$TMP/said" | head -n 1
}

run --cap-drop MKNOD $IMAGE mknod /tmp/a b 8 0
run --cap-drop ALL --cap-add SETGID $IMAGE mknod /tmp/a c 1 3
run --cap-drop ALL $IMAGE mknod /tmp/a p
run -e HOSTNAME $IMAGE sh -c 'env | grep -c ^HOSTNAME'
run -e PATH $IMAGE /usr/bin/env sh -c 'echo ${PATH+set}' | head -n 1
run --device /etc/passwd:/x $IMAGE true
run --device /etc:/x $IMAGE true
run --device /dev/zero:/dev/nulo $IMAGE ls /dev/nulo
