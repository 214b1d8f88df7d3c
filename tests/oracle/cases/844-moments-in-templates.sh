#!/bin/sh
# inspect -f: what is a moment to docker's client, and what is a text
# tags: inspect
# weight: common
trap '$DOCKER network rm $N >/dev/null 2>&1; $DOCKER rm -f $N >/dev/null 2>&1; $DOCKER rmi $N >/dev/null 2>&1' EXIT
words() {
	sed -E 's/[0-9]{4}-[0-9]{2}-[0-9]{2}/DAY/g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?/TIME/g'
}
$DOCKER network create --config-only $N >/dev/null
$DOCKER create --name $N $IMAGE true >/dev/null
$DOCKER tag $IMAGE $N
for f in '{{.Created}}' '{{json .Created}}' '{{print .Created "x"}}' '{{printf "%s|%v" .Created .Created}}' '{{printf "%T" .Created}}' '{{if .Created}}y{{end}}'; do
	echo "# $f"
	$DOCKER network inspect -f "$f" $N 2>&1 | words
	$DOCKER inspect -f "$f" $N 2>&1 | words
	$DOCKER image inspect -f "$f" $N 2>&1 | words
done
for f in '{{.Metadata.LastTagTime}}' '{{json .Metadata.LastTagTime}}' '{{.Metadata}}' '{{json .Metadata}}' '{{printf "%T" .Metadata.LastTagTime}}'; do
	echo "# $f"
	$DOCKER image inspect -f "$f" $N | words
done
$DOCKER inspect -f '{{.State.StartedAt}} {{printf "%T" .State.StartedAt}}' $N
