#!/bin/sh
# commit -a -m, and the config that the container had
# tags: commit
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none -e A=1 -l b=2 -w /x -u 5 --entrypoint e $IMAGE c d >/dev/null; $DOCKER commit -a me -m msg $N $N:c | wc -c
$DOCKER inspect -f '{{.Author}} {{.Comment}} {{json .Config.Env}} {{json .Config.Labels}} {{.Config.WorkingDir}} {{.Config.User}} {{json .Config.Entrypoint}} {{json .Config.Cmd}} {{.Architecture}} {{.Os}}' $N:c
$DOCKER commit $N A:B 2>&1 | sed 's/name ([^)]*) must/name must/'; $DOCKER commit -p=false $N $N:d | wc -c; $DOCKER commit --pause=x $N 2>&1 | head -1; $DOCKER commit $N $N:d -x 2>&1 | head -1
