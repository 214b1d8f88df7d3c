#!/bin/sh
# context export: of the one context, to a file of its name, to one that is named, to a pipe
# tags: cli,tty
# weight: rare
unset DOCKER_CONTEXT DOCKER_CONFIG
export HOME=$TMP DOCKER_HOST=unix:///nowhere
mkdir $TMP/here && cd $TMP/here || exit
try() {
	echo "# $*" | sed "s|$TMP|TMP|"
	$DOCKER context export "$@" >out 2>err </dev/null; echo "$?"
	cat out
	sed "s|$TMP|TMP|; s|[0-9a-f]\{64\}|ID|" err
	rm out err
}
try default
try default
try default x
try default $TMP/here/x
try default ''
try default nosuch/x
ls
stat -c %a x
cmp x default.dockercontext
TZ=UTC tar tv --numeric-owner -f x
$DOCKER context export default - | cmp - x
$DOCKER context export default - >/dev/full; echo "$?"
DOCKER_HOST=tcp://127.0.0.1:55 $DOCKER context export default - | tar xO meta.json; echo
env -u DOCKER_HOST $DOCKER context export default - | tar xO meta.json; echo
rm x; $DOCKER -H unix:///elsewhere context export default x; tar xOf x meta.json; echo
script -qec "$DOCKER context export default -" /dev/null </dev/null | tr -d '\r'
