#!/bin/sh
# what build and its like say of mistakes in their options and paths, before anything is built
# tags: build errors
# weight: rare
try() {
	echo "== $*" | sed "s#$TMP#TMP#"
	$DOCKER "$@" >out 2>err
	echo "$?" "$(sed "/^DEPRECATED: /d; /^ *Install the buildx/d; /^ *https:/d; s#$TMP#TMP#; /^\$/d" out err)"
}
mkdir ctx empty
echo FROM $IMAGE >ctx/Dockerfile
for spelling in build 'image build' 'builder build'; do
	try $spelling
	try $spelling --nosuch .
	try $spelling a b
	$DOCKER $spelling --help 2>/dev/null | head -n 60
done
for words in '-z' '-t' '-t UPPER' '-t ok:tag:tag' '-m x' '-m 1x' '--memory-swap x' '--shm-size x' '--ulimit x' '--ulimit nofile=1:x' \
	'--add-host x' '--add-host a:b' '--build-arg =' '--build-arg =x' '--label =' '--label =x' '--cpu-period x' '--cpu-quota 1.5' '-c x' \
	'--rm=x' '--pull=maybe' '--no-cache=x' '--squash' '--nosuch --help'; do
	try build $words ctx
done
try build nosuch
try build /etc/passwd
try build empty
try build -f nosuch ctx
try build -f "$TMP/nosuch/deep/er" ctx
try build --file empty/Dockerfile empty
try build -f - -
try builder nosuch
try builder --nosuch
try builder prune --nosuch
try builder prune x
try builder prune -f --keep-storage x
try builder prune -f --filter x
