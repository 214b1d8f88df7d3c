#!/bin/sh
# a whole row of a listing, printed
# tags: template images volume network history
# weight: rare
trap '$DOCKER volume rm $N >/dev/null 2>&1' EXIT
$DOCKER volume create --label a=1 $N >/dev/null
clean() { sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[12][0-9]\{9\}/TIME/g; s/[0-9]\{8,9\}/SIZE/g; s/[0-9-]*T[0-9:]*Z/DATE/; s#/[^ ]*/_data#PLACE#; s#\[[^][]*$IMAGE[^][]*\]#[TAGS]#g"; }
for f in '{{.}}' '{{println .}}' '{{printf "%+v" .}}' '{{$}}' '{{html .}}'; do
  for of in "images $IMAGE" "images --no-trunc $IMAGE" "volume ls --filter name=$N" "history $IMAGE" "history --no-trunc -H=false $IMAGE"; do
    echo "== $of $f" | clean
    $DOCKER $of --format "$f" 2>&1 | clean
  done
done
# a moment in there is two numbers; and old daemons do not tell of IPv4
$DOCKER network ls --filter name=^none\$ --format '{{.}}' | sed "s/[0-9a-f]\{64\}/ID/; s/{[0-9]* [0-9]* <nil>}/{NS S <nil>}/; s/null [a-z]* false/null IP false/"
$DOCKER network ls --filter name=^none\$ --format '{{printf "%+v" .}}' | sed "s/[0-9a-f]\{64\}/ID/; s/wall:[0-9]* ext:[0-9]*/TIME/; s/IPv4:[a-z]*/IPv4/"
