#!/bin/sh
# start -a and -i with several, of what cannot start
# tags: start error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE sh -c 'exit 3' >/dev/null
$DOCKER start $N | low; $DOCKER wait $N; $DOCKER wait $N $N; $DOCKER start -a $N; echo $?
$DOCKER start -a $N $N-x 2>&1 | low; $DOCKER start -ai $N $N 2>&1 | low; $DOCKER start -i 2>&1 | head -1
