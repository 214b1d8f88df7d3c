#!/bin/sh
# top with options of ps
# tags: top
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
$DOCKER top $N | head -1; $DOCKER top $N -ef | head -1; $DOCKER top $N aux | head -1; $DOCKER top $N -o pid,comm | head -1; $DOCKER top $N -eo pid,args,user | head -1
$DOCKER top $N -o pid,args | tail -1 | awk '{print $2,$3}'; $DOCKER top $N -o nosuch >/dev/null 2>&1; echo $?
