#!/bin/sh
# TERM is the exec's own: with -t, whatever the container has, and what -e of the container says wins
# tags: exec tty
# weight: core
trap '$DOCKER rm -fv $N ${N}b ${N}c >/dev/null 2>&1' EXIT
$DOCKER run -itd --name $N --network none $IMAGE cat >/dev/null
$DOCKER run -id --name ${N}b --network none $IMAGE cat >/dev/null
$DOCKER run -itd --name ${N}c -e TERM=screen --network none $IMAGE cat >/dev/null
for c in $N ${N}b ${N}c; do
  echo "== without"
  $DOCKER exec $c sh -c 'echo "[$TERM]"'
  echo "== -t"
  $DOCKER exec -t $c sh -c 'echo "[$TERM]"' | tr -d '\r'
  echo "== -t -e"
  $DOCKER exec -t -e TERM=vt $c sh -c 'echo "[$TERM]"' | tr -d '\r'
done
