#!/bin/sh
# who has no terminal may start a container with one, and is told of a missing container before that of an exec
# tags: start,exec,attach
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER create -it --network none --name $N $IMAGE sh >/dev/null
printf 'echo h$((1))i\nexit 3\n' | $DOCKER start -ai $N >/dev/null; echo $?
$DOCKER logs $N | grep -c h1i
$DOCKER rm $N >/dev/null
$DOCKER create -it --network none --name $N $IMAGE sh -c 'exit 4' >/dev/null
$DOCKER start -i $N </dev/null; echo $?
$DOCKER exec -it $N-none sh </dev/null 2>&1 | sed "s/$N/NAME/"
$DOCKER exec -it $N sh </dev/null; echo $?
$DOCKER exec -it $N sh </dev/null 2>&1
$DOCKER attach $N-none </dev/null 2>&1 | sed "s/$N/NAME/"
