#!/bin/sh
# directory, user and variables of exec
# tags: exec
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none -h hh -w /tmp -e Q=1 -e R=2 $IMAGE sleep 1000 >/dev/null
$DOCKER exec $N sh -c 'pwd; id -u; echo $Q $HOME $HOSTNAME $TERM'; $DOCKER exec -e R $N sh -c 'echo ${R-gone}'; R=3 $DOCKER exec -e R $N sh -c 'echo $R'
$DOCKER exec -t $N sh -c 'echo $TERM' | tr -d '\r'; $DOCKER exec -e HOME=/x $N sh -c 'echo $HOME'; $DOCKER exec -w /usr -e Q=5 $N sh -c 'pwd; echo $Q'
printf 'A=1\nB=x y\n' >$TMP/f; $DOCKER exec --env-file $TMP/f $N sh -c 'echo "$A $B"' 
