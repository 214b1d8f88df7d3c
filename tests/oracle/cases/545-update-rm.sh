#!/bin/sh
# update --restart of a container with --rm
# tags: update error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --rm --name $N --network none $IMAGE sleep 1000 >/dev/null
$DOCKER update --restart always $N 2>&1 | low; $DOCKER inspect -f '{{.HostConfig.RestartPolicy.Name}}' $N
