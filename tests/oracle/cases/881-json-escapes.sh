#!/bin/sh
# Which characters of labels docker escapes in the JSON of its listings and inspects.
# tags: inspect,volume,network,events,json
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1; $DOCKER volume rm $N >/dev/null 2>&1; $DOCKER network rm $N >/dev/null 2>&1' EXIT
L=$(printf 'a\033b\001\302\233\342\200\250\342\200\251<e>&\177\\u001B"/\t\360\237\220\213')
$DOCKER create --name $N --network none -l "k=$L" $IMAGE true >/dev/null
$DOCKER volume create --label "k=$L" $N >/dev/null
$DOCKER network create --label "k=$L" $N >/dev/null
for what in "inspect --type container" "container inspect" "inspect --type volume" "volume inspect" "network inspect"; do
	echo "== $what"
	$DOCKER $what $N | grep -o '"k": .*"'
	$DOCKER $what -f json $N | grep -o '"k":"[^}]*"'
	$DOCKER $what -f '{{json .}}' $N | grep -o '"k":"[^}]*"'
done
echo "== listings"
$DOCKER ps -a --filter name=$N --format json | grep -o 'k=a[^,]*'
$DOCKER volume ls --filter name=$N --format json | grep -o 'k=a[^,]*'
$DOCKER network ls --filter name=$N --format json | grep -o 'k=a[^,]*'
echo "== events"
for format in json '{{json .}}' '{{json .Actor.Attributes}}'; do # until is whole seconds
	$DOCKER events --since 1m --until $(($(date +%s) + 1)) --filter container=$N --filter event=create --format "$format" | grep -o '"k":"[^,]*'
done
