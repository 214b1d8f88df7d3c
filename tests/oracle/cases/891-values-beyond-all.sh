#!/bin/sh
# numbers that no variable holds, ports in the long form without one, and links by names with a slash
# tags: create,errors
# weight: rare
trap '$DOCKER rm -f $N $N-2 >/dev/null 2>&1' EXIT
try() {
	echo "== $*" | sed "s/$N/N/g"
	$DOCKER create --pull never --name $N-2 --network none "$@" 2>&1 >/dev/null | sed "s/$N/N/g; /^WARNING/d" | head -n 1
}
for v in 99999999999999999999 9223372036854775808 1h99999999999999999999 9999999999999999999x 9223372036854775809ns 00000000000000000000001x; do
	try --health-interval=$v nosuch$N
done
for v in 99999999999999999999 9223372036854775808 -99999999999999999999 count=99999999999999999999 0x5; do
	try --gpus $v nosuch$N
done
for v in a=b:c published=80 protocol=udp target=x published=x,target=80 target=80,protocol=x published=1-2,target=3-5; do
	try -p $v nosuch$N
done
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for v in / // /nosuch nosuch/ /:/a :a x: /: : /$N $N:x /$N:x /$N:/me/z; do
	$DOCKER rm $N-2 >/dev/null 2>&1
	try --link $v $IMAGE true
	$DOCKER inspect -f '{{json .HostConfig.Links}}' $N-2 2>/dev/null | sed "s/$N/N/g"
done
