#!/bin/sh
# options that this daemon has not: none is in the help, and what is said of them
# tags: cli
# weight: rare
for command in run create 'container run' 'container create' start 'container start'; do
	$DOCKER $command --help >out 2>&1; echo "$command $?"
	grep -cE -e '--(cpu-count|cpu-percent|io-max|checkpoint)' out
done
try() {
	echo "# $*"
	$DOCKER "$@" 2>&1; echo "$?"
}
try start --checkpoint x y
try start --checkpoint-dir x --checkpoint y z
try start --checkpoint
try start --checkpoint x --help
try create --cpu-count 1 x
