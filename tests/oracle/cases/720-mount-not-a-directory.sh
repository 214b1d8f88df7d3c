#!/bin/sh
# a file mounted on a directory, and a path below a file: what run says, its status and what the container keeps
# tags: mounts run error
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b >/dev/null 2>&1' EXIT
mkdir dir; touch file
told() { tail -n +1 e | grep -o 'error mounting.*' | sed 's/ (via [^)]*)//; s/ open o_path procfd:.*: not/ open: not/; s/ open [^ ]*: not/ open: not/'; }
$DOCKER run --name ${N}a --network none -v $TMP/file:/etc $IMAGE true 2>e; echo "rc=$?"
told | sed "s,$TMP,TMP,g"
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Running}}' ${N}a
$DOCKER run --name ${N}b --network none -v $TMP/dir:/etc/passwd/x $IMAGE true 2>e; echo "rc=$?"
told | sed "s,$TMP,TMP,g"
$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Running}}' ${N}b
