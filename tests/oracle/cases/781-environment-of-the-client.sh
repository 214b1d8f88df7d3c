#!/bin/sh
# what the environment and the configuration of docker's client say: headers, versions, commands to hide, contexts, platforms
# tags: cli
# weight: rare
export HOME=$TMP
try() {
	echo "# $1 $3"
	env "$@" >out 2>err; echo "$?"
	grep -v '^CONTAINER ID' out; head -n 1 err | sed 's/DOCKER_HOST environment variable overrides.*//; s/Supported API version is .*//; s/supported API version is .*//'
}
for headers in a=b a == 'a=b,c=d' '"a' ' =x' a= 'a=b,,' '"a=b",c=d' '"a=b"x'; do
	try DOCKER_CUSTOM_HEADERS="$headers" $DOCKER ps -q --filter name=$N-none
done
try DOCKER_CUSTOM_HEADERS=a $DOCKER context show
for version in 1.41 v1.30 1.24 9.99 1.1 x '' ' 1.30'; do
	try DOCKER_API_VERSION="$version" $DOCKER ps -q --filter name=$N-none
done
try DOCKER_API_VERSION=v1.30 $DOCKER version -f '{{.Client.APIVersion}} {{.Client.DefaultAPIVersion}}'
DOCKER_API_VERSION=1.30 $DOCKER version | grep 'downgraded'
for hide in 1 0 ''; do DOCKER_HIDE_LEGACY_COMMANDS=$hide $DOCKER --help | grep -c '^Commands:'; done
DOCKER_HIDE_LEGACY_COMMANDS=1 $DOCKER ps -q --filter name=$N-none
for platform in linux/arm64 windows/amd64; do
	$DOCKER run --rm --network none --platform $platform $IMAGE true 2>&1 | grep -c 'Unable to find image'
	$DOCKER run --rm -q --network none --platform $platform $IMAGE true 2>&1 | grep -c 'Unable to find image'
	$DOCKER run --rm --network none --platform $platform --pull never $IMAGE true 2>&1 | grep -c 'was found but'
	$DOCKER pull --platform $platform $IMAGE >/dev/null 2>&1; echo "$?"
	DOCKER_DEFAULT_PLATFORM=$platform $DOCKER pull $IMAGE >/dev/null 2>&1; echo "$?"
done
[ -n "$DOCKER_HOST" ] && unset DOCKER_HOST
mkdir -p conf; echo '{"currentContext":"nosuch"}' >conf/config.json
$DOCKER --config conf context show
$DOCKER --config conf ps -q 2>&1 | grep -o 'context "nosuch": context not found'
DOCKER_CONTEXT=default $DOCKER --config conf context show
$DOCKER --config conf -c default context show
$DOCKER --config conf context ls --format '{{.Name}} {{.Current}}'
