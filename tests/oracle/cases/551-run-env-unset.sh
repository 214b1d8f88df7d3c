#!/bin/sh
# -e NAME of a variable that the client has not
# tags: run env
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none -e A=1 -e NOSUCHVAR $IMAGE true >/dev/null; $DOCKER inspect -f '{{range .Config.Env}}{{println .}}{{end}}' $N | sort; $DOCKER rm $N >/dev/null # docker's client has them in any order
$DOCKER create --name $N --network none -e A=1 $IMAGE true >/dev/null; $DOCKER commit -c 'ENV B=2' $N $N:c >/dev/null
$DOCKER run --rm --network none -e B $N:c sh -c 'echo ${B-gone} $A'; B=3 $DOCKER run --rm --network none -e B $N:c sh -c 'echo $B' 
