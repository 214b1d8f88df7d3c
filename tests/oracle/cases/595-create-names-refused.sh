#!/bin/sh
# names of images and containers which are none, and --cidfile where it cannot be: words and codes
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
for i in NOPE a:b:c 'a b' - a@sha256:12 "$IMAGE@sha256:12"; do
  try create "$i" true
  try run "$i" true
done
try create --name / $IMAGE true
try create --name /b $IMAGE true
try create --name //ab $IMAGE true
try create --name /$N $IMAGE true
try create --cidfile nowhere/cid $IMAGE true
try run --cidfile nowhere/cid $IMAGE true
$DOCKER run --rm --name $N --network none --cidfile cid $IMAGE no-such-command 2>err; echo $?
wc -c <cid | tr -d ' '
try run --rm --name ${N}b --network none --cidfile cid $IMAGE true
rm cid
try create --name $N --cidfile cid $IMAGE:no-such-tag@x true
ls cid 2>&1 | grep -c '^cid$'
