#!/bin/sh
# who asks for signatures is not given an image without: nobody answers for them here
# tags: cli
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f $N' EXIT
try() {
	echo "# $*" | sed "s/$N/N/; s|$IMAGE|IMAGE|"
	$DOCKER "$@" >out 2>err </dev/null; echo "$?"
	grep -v '^Using default' out
	sed 's/\(notary server\).*/\1/' err
}
try run --rm --network none --disable-content-trust=false $IMAGE echo hi
try create --name $N --disable-content-trust=false $IMAGE true
try pull --disable-content-trust=false $IMAGE
try run --rm --network none --disable-content-trust $IMAGE echo hi
for word in 1 true yes 0 f ''; do
	export DOCKER_CONTENT_TRUST=$word
	echo "## $word"
	try run --rm --network none $IMAGE echo hi
done
export DOCKER_CONTENT_TRUST=1
try run --rm --network none --disable-content-trust $IMAGE echo hi
try run --rm --network none --disable-content-trust=true $IMAGE echo hi
try images -q nosuch
$DOCKER ps -aq --filter name=$N
