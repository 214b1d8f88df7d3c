#!/bin/sh
# what events tell of images and volumes
# tags: events
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
S=$(date +%s); $DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER commit $N $N:c >/dev/null; $DOCKER tag $N:c $N:d; $DOCKER rmi $N:c >/dev/null; $DOCKER rmi $N:d >/dev/null; $DOCKER volume create $N >/dev/null; $DOCKER volume rm $N >/dev/null; E=$(($(date +%s)+1))
$DOCKER events --since $S --until $E --filter container=$N --format '{{.Type}} {{.Action}}'; $DOCKER events --since $S --until $E --filter type=image --format '{{.Action}} {{.Actor.Attributes.name}}' | grep $N | low; $DOCKER events --since $S --until $E --filter type=volume --format '{{.Action}} {{.Actor.ID}}' | grep $N | low
