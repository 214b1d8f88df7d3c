#!/bin/sh
# An image by its whole id, with and without "sha256:", and by ids that do not exist
# tags: run images
# weight: core
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:t >/dev/null 2>&1' EXIT
same() { sed "s/$hex/<hex>/g; s/$(echo $hex | cut -c1-12)/<short>/g; s/Error response from daemon: //"; }
hex=$($DOCKER image inspect -f '{{.Id}}' $IMAGE | sed 's/.*://')
none=$(echo $hex | tr 0-9a-f 1-9a-f0)
try() { echo "== $*"; $DOCKER "$@" 2>&1; echo "-- $?"; }
{
for i in $hex sha256:$hex $(echo $hex | cut -c1-12) $none sha256:$none $(echo $none | cut -c1-40) "$hex"0 $hex:t; do
  try run --rm --network none $i echo hi
  try create --pull never --name $N --network none $i echo hi >/dev/null; $DOCKER rm $N >/dev/null 2>&1 && echo made
done
try image inspect -f '{{len .RootFS.Layers}}' $hex >/dev/null && echo inspected
try tag $hex $N:t
try tag $none $N:t
try tag $N:t $none
$DOCKER images -q $N:t
try history -q $none
try rmi $N:t
try rmi $none
try run --rm --network none --pull never $none true
} | sed "s/$none/<none>/g; s/$(echo $none | cut -c1-40)/<none40>/g; s/pull access denied.*/<pull>/; s/Get \"https.*/<pull>/;s/failed to resolve reference.*/<pull>/; s/$N/N/g" | same
