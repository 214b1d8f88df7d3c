#!/bin/sh
# what events tell of a container's life
# tags: events
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
S=$(date +%s); $DOCKER run --name $N --network none -l q=w $IMAGE sh -c 'exit 3'; $DOCKER rm $N >/dev/null; E=$(($(date +%s)+1))
$DOCKER events --since $S --until $E --filter container=$N --format '{{.Type}} {{.Action}} {{.Actor.Attributes.exitCode}}'
$DOCKER events --since $S --until $E --filter container=$N --filter event=die --format '{{.Actor.Attributes.exitCode}} {{.Actor.Attributes.q}} {{.Actor.Attributes.name}}' | low
$DOCKER events --since $S --until $E --filter container=$N --filter event=create | sed 's/^[^ ]* //' | low
