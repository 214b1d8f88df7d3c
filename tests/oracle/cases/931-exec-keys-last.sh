#!/bin/sh
# detach keys that are none are told of when the container may be joined
# tags: exec error
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
say() {
	$DOCKER exec --detach-keys zz "$1" true >$TMP/o 2>$TMP/e
	echo "rc=$?"
	tr A-Z a-z <$TMP/e | sed -E "s/[0-9a-f]{64}/ID/; s/$N/NAME/"
}
say $N-none
$DOCKER create --name $N --network none $IMAGE sleep 1000 >/dev/null
say $N
$DOCKER start $N >/dev/null
say $N
