#!/bin/sh
# an image that a container uses: its name goes, or is refused
# tags: rmi ps
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; $DOCKER commit $N $N:c >/dev/null; $DOCKER rm $N >/dev/null
$DOCKER create --name $N --network none $N:c true >/dev/null; $DOCKER rmi $N:c 2>&1 | low; $DOCKER tag $N:c $N:d; $DOCKER rmi $N:c | low; $DOCKER ps -a --filter name=$N --format '{{.Image}}' | low; $DOCKER inspect -f '{{.Config.Image}}' $N | low
$DOCKER tag $N:d $N:c; $DOCKER ps -a --filter name=$N --format '{{.Image}}' | low; $DOCKER rmi -f $N:c $N:d | low; $DOCKER ps -a --filter name=$N --format '{{.Image}}' | low
