#!/bin/sh
# inspect of several kinds, some of them missing
# tags: inspect
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1; $DOCKER volume rm -f $N-v >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; $DOCKER volume create $N-v >/dev/null
$DOCKER inspect -f '{{.Name}}' $N $N-v none 2>&1 | low; $DOCKER inspect -f '{{.Name}}' $N no$N $N-v >$TMP/o 2>$TMP/e; echo $?; low <$TMP/o; low <$TMP/e; $DOCKER container inspect -f '{{.Name}}' $N no$N 2>&1 | low; $DOCKER inspect no$N 2>&1 | low; $DOCKER inspect -f '{{.x' $N 2>&1 | low; $DOCKER inspect -f '{{.x}}' $N 2>&1 | low; $DOCKER inspect --size -f '{{.SizeRw}}' $N
