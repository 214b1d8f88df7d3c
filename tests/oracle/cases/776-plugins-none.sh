#!/bin/sh
# plugins where there are none: an empty list, and none of any name
# tags: plugin
# weight: rare
try() {
	echo "# $*"
	$DOCKER plugin "$@" >out 2>err </dev/null; echo "$?"
	cat out; sed 's/: Invalid/: invalid/' err
}
try ls
try ls -q
try list --no-trunc
try ls --format json
try ls --format 'table {{.ID}}\t{{.PluginReference}}'
try ls --format '{{.Nope}}'
try ls -f enabled=true
try ls -f enabled=x
try ls -f capability=x
try ls -f nope=1
try ls x
try inspect a b
try inspect -f '{{.Id}}' a
try inspect -f '{{.Id' a
try inspect
try rm a b
try rm -f x/../a
try remove ''
try enable a
try enable --timeout x a
try disable -f a
try set a
try set a b=c
try upgrade a
try nope
