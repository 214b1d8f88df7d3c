#!/bin/sh
# values which are refused by the client, by the daemon, and at the start only: words and codes
# tags: errors create run
# weight: rare
trap '$DOCKER rm -fv $N ${N}b >/dev/null 2>&1' EXIT
try() {
  printf '%s: ' "$*" | sed "s/$N/N/g; s,$IMAGE,IMAGE,g"
  $DOCKER "$@" </dev/null >out 2>err
  rc=$?
  echo "$rc $(wc -l <out) $(grep -v ^WARNING err | head -1 | sed "s/$N/N/g; s,$IMAGE,IMAGE,g")"
  $DOCKER rm -f $N >/dev/null 2>&1
}
for o in --health-interval=500us --health-timeout=999us --health-start-period=1us --cpuset-cpus=1-0 \
  --log-opt=max-buffer-size=1m --device=/dev/null:rr --device=/dev/null:/dev/x:rr --platform=x --platform=a/b/c/d; do
  try create --name $N --network none $o $IMAGE true
  try run --name $N --network none $o $IMAGE true
done
try run --rm --name $N --network none --device /dev/no-such-device $IMAGE true
try run --name $N --network none --device /dev/no-such-device $IMAGE true
$DOCKER run --rm --name $N --network none --sysctl net.no_such=1 $IMAGE true 2>err
echo "sysctl $? $(grep -o 'open /proc/sys/net/no_such: no such file or directory' err)"
$DOCKER create --name $N --network none --gpus all $IMAGE true >/dev/null
try start $N
$DOCKER run --name $N --network none --gpus all,capabilities=utility $IMAGE true 2>err
echo "gpus $? $(head -1 err) $($DOCKER inspect -f '{{.State.Status}}' $N)"
$DOCKER rm -f $N >/dev/null
$DOCKER run --rm --name $N --network none --log-opt max-size=x $IMAGE true 2>err
echo "log $? $(head -1 err)"
echo in | $DOCKER run --rm --name $N --network none -i -a stdout $IMAGE cat
try run --rm --name $N --network container:$N --expose 80 $IMAGE true
try run --rm --name $N --network container:$N --link a $IMAGE true
try run --rm --name $N --network host --link a $IMAGE true
$DOCKER run --rm --name $N --network none --uts host $IMAGE sh -c 'echo ${#HOSTNAME}; [ "$(hostname)" = "$HOSTNAME" ] || echo another'
