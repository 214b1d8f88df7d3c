#!/bin/sh
# rmi by id, with one name, with two, with none
# tags: rmi
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; i=$($DOCKER commit $N); $DOCKER rmi $i | low; i=$($DOCKER commit $N $N:c); $DOCKER tag $N:c $N:d; $DOCKER rmi $i 2>&1 | low; $DOCKER rmi -f $i | low; $DOCKER images -q $N
