#!/bin/sh
# save of one tag, of all tags of a name, of several
# tags: save load
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER tag $IMAGE $N:c; $DOCKER tag $IMAGE $N:d
$DOCKER save $N:c -o $TMP/a; $DOCKER save $N -o $TMP/b; $DOCKER save $N:c $N:d >$TMP/c; for f in a b c; do $DOCKER rmi $N:c $N:d >/dev/null 2>&1; $DOCKER load -i $TMP/$f | low | sort; done; $DOCKER load -q -i $TMP/a | low
