#!/bin/sh
# a new volume takes what the image has; nocopy and ro do not
# tags: volume
# weight: common
trap '$DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER volume create $N >/dev/null; $DOCKER run --rm --network none -v $N:/etc/apt $IMAGE ls /etc/apt | head -3; $DOCKER run --rm --network none -v $N:/v $IMAGE ls /v | head -2
$DOCKER run --rm --network none -v $N:/v:ro $IMAGE touch /v/x 2>/dev/null; echo $?; $DOCKER volume rm $N >/dev/null; $DOCKER run --rm --network none -v $N:/etc/apt:nocopy $IMAGE ls /etc/apt | wc -l
