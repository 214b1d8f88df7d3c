#!/bin/sh
# inspect: names that docker's client cleans until nothing is left of them
# tags: errors
# weight: rare
try() {
	echo "# $*"
	$DOCKER "$@" >out 2>err; echo "$?"
	cat out err
}
for words in inspect 'inspect --type container' 'container inspect' 'network inspect'; do
	for name in . ./ / ./. ' .'; do
		try $words "$name"
	done
done
try inspect -f '{{.Id}}' .
try inspect ..
try image inspect .
try image inspect ..
try system dial-stdio x
