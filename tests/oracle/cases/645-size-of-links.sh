#!/bin/sh
# Sizes: a file of two names counts once, a symbolic link as long as what it says.
# tags: ps,inspect,history
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:1 $N:2 >/dev/null 2>&1' EXIT
$DOCKER run --name $N --network none $IMAGE sh -c 'cd /root && ln -s abcde x && echo hi >z && ln z zz && ln z zzz'
$DOCKER ps -a -s --filter name=$N --format '{{.Size}}' | cut -d' ' -f1
$DOCKER inspect -s -f '{{.SizeRw}}' $N
$DOCKER commit $N $N:1 >/dev/null
$DOCKER history --human=false --format '{{.Size}}' $N:1 | head -n 1
mkdir t && ln -s 0123456789 t/l && echo hi >t/f && ln t/f t/g
tar -C t -c . | $DOCKER import - $N:2 >/dev/null
$DOCKER image inspect -f '{{.Size}}' $N:2
