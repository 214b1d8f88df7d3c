#!/bin/sh
# ps -n, -l, before and since
# tags: ps filter
# weight: common
trap '$DOCKER rm -f $N-1 $N-2 $N-3 >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for i in 1 2 3; do $DOCKER create --name $N-$i --network none $IMAGE true >/dev/null; done
$DOCKER ps -a --filter name=$N --format '{{.Names}}' | low; $DOCKER ps -a -n 2 --filter name=$N --format '{{.Names}}' | low; $DOCKER ps -a --filter before=$N-2 --filter name=$N --format '{{.Names}}' | low; $DOCKER ps -a --filter since=$N-2 --filter name=$N --format '{{.Names}}' | low
$DOCKER ps -n 0 -q --filter name=$N; $DOCKER ps -n -1 -q --filter name=$N; $DOCKER ps -aq --no-trunc --filter name=$N-1 | wc -c; $DOCKER ps -aq --filter name=$N-1 | wc -c
