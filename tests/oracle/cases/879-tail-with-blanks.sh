#!/bin/sh
# numbers of --tail as Go reads them: with a sign, and without blanks
# tags: logs
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER run --name $N --network none $IMAGE sh -c 'echo a; echo b; echo c' >/dev/null
for n in 1 +1 ' 1' '1 ' '	1' 01 1.0 '' ' '; do echo "[$n]"; $DOCKER logs --tail "$n" $N 2>&1; done
