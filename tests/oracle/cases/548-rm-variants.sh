#!/bin/sh
# rm of several, with -f, -v and -l
# tags: rm error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none -v /v $IMAGE true >/dev/null
$DOCKER rm -l $N 2>&1 | low; $DOCKER rm $N/x 2>&1 | low; $DOCKER rm "" 2>&1 | low; $DOCKER rm -v $N | low; $DOCKER rm -f $N-x $N-y 2>&1 | low; echo $?
