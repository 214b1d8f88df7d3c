#!/bin/sh
# exec: what it refuses, and how it says it
# tags: exec error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
x() { $DOCKER exec "$@" >$TMP/o 2>$TMP/e; echo "rc=$?"; tr -d '\r' <$TMP/o | low; low <$TMP/e | head -1; }
x -w nosuch $N pwd; x -w /nosuch $N pwd; x -w /etc $N pwd; x -u nosuch $N id; x -u 1:nosuch $N id; x -e =x $N env
x --env-file /nosuch $N true; x --detach-keys foo $N true; x "" true; x -it $N true; x -d $N true; x -d $N nosuch
x $N sh -c 'kill -9 $$'; x $N sh -c 'exit 200'; x --nosuch $N true
