#!/bin/sh
# start of a container whose command is not there
# tags: start error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE nosuch >/dev/null
$DOCKER start $N >$TMP/o 2>$TMP/e; echo $?; grep -o 'exec: .*PATH' $TMP/e; tail -1 $TMP/e | low
$DOCKER inspect -f '{{.State.ExitCode}} {{.State.Status}}' $N; $DOCKER inspect -f '{{.State.Error}}' $N | grep -o 'OCI runtime create failed\|exec: .*PATH'
$DOCKER start -a $N >/dev/null 2>&1; echo $?
