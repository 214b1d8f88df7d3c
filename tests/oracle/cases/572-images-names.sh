#!/bin/sh
# images NAME: what a name matches
# tags: images
# weight: common
trap '$DOCKER rmi a/b/$N:t1 $N:t2 localhost:5000/$N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER tag $IMAGE a/b/$N:t1; $DOCKER tag $IMAGE $N:t2; $DOCKER tag $IMAGE localhost:5000/$N
for o in $N a/b/$N "a/b/$N:t1" "a/b/$N*" "*/*/$N*" "$N:t1" "$N:*" "localhost:5000/$N" "docker.io/library/$N" "library/$N:t2" no$N; do echo "== $o" | low; $DOCKER images --format '{{.Repository}}:{{.Tag}}' "$o" 2>&1 | low; done
for o in "reference=$N" "reference=*$N*" "reference=*/$N" "reference=a/*/$N" "reference=localhost:5000/$N" "reference=[" "reference=$N:t2"; do echo "== $o" | low; $DOCKER images --format '{{.Repository}}:{{.Tag}}' --filter "$o" 2>&1 | low; done
$DOCKER images --format '{{.Repository}}' '' | grep -c $N
