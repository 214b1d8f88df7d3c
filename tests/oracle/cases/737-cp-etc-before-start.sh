#!/bin/sh
# hosts, hostname and resolv.conf of a container that never started are files of the image's; afterwards its own
# tags: cp
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
echo new >f
$DOCKER create --name $N --network none --hostname sbx-name $IMAGE cat /etc/hostname >/dev/null
for file in hosts hostname; do $DOCKER cp $N:/etc/$file - | tar xO | grep -c sbx-name; done
$DOCKER cp f $N:/etc/hostname 2>&1 | grep -v Success; $DOCKER cp f $N:/etc/resolv.conf 2>&1 | grep -v Success
$DOCKER cp $N:/etc/hostname - | tar xO
$DOCKER diff $N
$DOCKER start -a $N
$DOCKER cp $N:/etc/hostname - | tar xO
$DOCKER cp f $N:/etc/hostname 2>&1 | grep -o 'unlinkat /etc/hostname: device or resource busy'
