#!/bin/sh
# names that a volume may have; volumes twice, missing and in use
# tags: volume error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for n in "$N b" $N/b .$N a $N; do $DOCKER volume create "$n" >$TMP/o 2>$TMP/e; echo "rc=$?"; low <$TMP/o; low <$TMP/e; done
$DOCKER volume create $N | low; $DOCKER create --name $N --network none -v $N:/v $IMAGE true >/dev/null; $DOCKER volume rm $N 2>&1 | low; $DOCKER volume rm -f $N 2>&1 | low; $DOCKER rm $N >/dev/null; $DOCKER volume rm $N | low; $DOCKER volume rm $N 2>&1 | low; $DOCKER volume rm -f $N | low; $DOCKER volume inspect $N 2>&1 | low; $DOCKER volume create -d nosuch $N 2>&1 | low | grep -o 'plugin "*nosuch"*' | head -1
