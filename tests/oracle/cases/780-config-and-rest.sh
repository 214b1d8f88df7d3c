#!/bin/sh
# proxies of the client's configuration, signals for who does not run, sources that begin with a dot, -v before a command
# tags: create,stop,cli
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
config() { mkdir -p conf; echo "$1" >conf/config.json; }
proxies() {
	echo "# $*"
	$DOCKER --config conf create --name $N --network none "$@" $IMAGE true >/dev/null
	$DOCKER inspect -f '{{range .Config.Env}}{{println .}}{{end}}' $N | grep -i -e prox -e '^X' | LC_ALL=C sort
	$DOCKER rm $N >/dev/null
}
config '{"proxies":{"default":{"httpProxy":"http://p:1","httpsProxy":"http://p:2","noProxy":"x,y","ftpProxy":"f","allProxy":"a"}}}'
proxies
proxies -e HTTP_PROXY=mine -e no_proxy -e X=1
config '{"proxies":{"default":{"httpProxy":"http://p:1","noProxy":""}}}'
echo http_proxy=file >file
proxies --env-file file
config '{"proxies":{"tcp://other:1":{"httpProxy":"http://p:1"}}}'
proxies
$DOCKER --config conf run --rm --network none $IMAGE env | grep -ci proxy
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER stop -s FOO $N | sed "s/$N/NAME/"
$DOCKER stop --signal 0 $N | sed "s/$N/NAME/"
for source in ./x .x ..x .; do
	$DOCKER create --network none --mount type=volume,source=$source,target=/d $IMAGE true 2>&1 | head -n 1 | sed "s|$PWD|PWD|g; s|$(dirname "$PWD")|UP|g"
done
$DOCKER -v ps --filter name=$N-none
$DOCKER -v -D ps -q --filter name=$N-none
$DOCKER -v nope 2>&1 | cut -d, -f1
