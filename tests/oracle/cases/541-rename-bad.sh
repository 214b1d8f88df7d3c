#!/bin/sh
# rename to names that cannot be
# tags: rename error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for n in $N a/b '' 'a b' .x a:b; do $DOCKER rename $N "$n" >$TMP/o 2>$TMP/e; echo "$n rc=$?" | sed "s/$N/NAME/"; low <$TMP/e | sed 's/"ID"/ID/'; done
$DOCKER rename "" x 2>&1 | low; $DOCKER rename $N /$N-s; $DOCKER rename $N-s $N; $DOCKER inspect -f '{{.Name}}' $N | low
