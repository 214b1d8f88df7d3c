#!/bin/sh
# a name that is another container's
# tags: create rename error
# weight: common
trap '$DOCKER rm -fv $N $N-b >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER create --name $N-b --network none $IMAGE true >/dev/null
$DOCKER create --name $N --network none $IMAGE true 2>&1 | low; $DOCKER run --name /$N --network none $IMAGE true 2>&1 | low | head -1; $DOCKER rename $N $N-b 2>&1 | low
$DOCKER rm $N $N-b | low
