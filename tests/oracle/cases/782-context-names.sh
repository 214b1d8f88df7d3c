#!/bin/sh
# what context create, update, export and import say of names, options and files that they cannot take
# tags: cli
# weight: rare
export HOME=$TMP
unset DOCKER_HOST
try() {
	echo "# $*"
	$DOCKER context "$@" >out 2>&1 </dev/null; echo "$?"
	sed "s|$TMP|TMP|; s|[0-9a-f]\{64\}|ID|" out
}
try create
try create aa bb
try create default
try create ''
try create 'a b'
try create x
try create -x
try create aa --docker host
try create aa --docker ''
try create aa --docker host=unix:///x,ca,key=k
try update
try update default --description x
try update ''
try update a/b
try update nosuch
try update nosuch --docker host
try export
try export aa bb cc
try export ''
try export a/b
try export nosuch -
try import aa
try import default f
try import 'a b' f
try import '' f
try import aa nosuch
