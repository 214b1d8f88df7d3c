#!/bin/sh
# exec -u: who is somebody else than the container's user is in the groups of --group-add all the same
# tags: exec user ids
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none -u daemon --group-add 77 --group-add audio $IMAGE sleep 100 >/dev/null
for words in '' '-u 0' '-u root' '-u bin:adm' '-u 1234:5' '-u 77' '-u daemon:audio'; do
	echo "== $words: $($DOCKER exec $words $N id -G)"
done
