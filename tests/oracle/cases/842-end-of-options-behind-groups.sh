#!/bin/sh
# "--" behind the name of a group: what follows it is no command, none is a wish for usage
# tags: cli
# weight: rare
try() {
	echo "# $*"
	$DOCKER "$@" >out 2>err; echo "$?"
	cat out
	sed -n '/^Commands:$/q; p' err
}
for group in container context image network plugin swarm system 'trust key' volume; do
	try $group --
	try $group -- ls
	try $group -- --help
	try $group -- -x y
done
try -- volume ls -x
try -- nosuch
