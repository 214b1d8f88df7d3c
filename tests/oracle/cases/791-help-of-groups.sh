#!/bin/sh
# commands of a swarm, of trust and of manifests by themselves: that is a wish for help, which nobody is refused
# tags: cli
# weight: rare
for group in swarm node service stack secret config trust; do
	for words in "$group" "$group --help" "help $group"; do
		echo "# $words"
		$DOCKER $words >out 2>err; echo "$?"
		cat out
		echo "-- err"; cat err
	done
done
$DOCKER manifest --help
$DOCKER service ls >out 2>err; echo "$?"
cut -d: -f1,2 err | cut -d' ' -f1-10
