#!/bin/sh
# filters of volume ls
# tags: volume filter
# weight: common
trap '$DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER volume create --label a=b --label c $N >/dev/null
for f in label=a label=a=b label=a=x driver=local driver=x dangling=true dangling=false dangling=1 dangling=x nosuch=x x name=no$N; do echo "== $f" | low; $DOCKER volume ls -f name=$N -f $f -q 2>&1 | low; done
$DOCKER volume inspect -f '{{json .Labels}} {{json .Options}} {{.Scope}} {{.Driver}}' $N; $DOCKER volume ls -f name=$N | low
