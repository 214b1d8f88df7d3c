#!/bin/sh
# what stands behind swarm, service, trust and the like: unknown words, how many, whose help
# tags: help error
# weight: rare
r() { echo "--- $*"; "$@" >out 2>&1; s=$?; sed 's/ *$//' out; echo "$s"; }
for g in swarm node service stack secret config trust manifest; do
	r $DOCKER $g nosuch
	r $DOCKER $g --nosuch
	r $DOCKER $g -x
	r $DOCKER $g nosuch --help
done | sed "s,^--- $DOCKER,---,"
for w in "manifest" "trust key" "trust key nosuch" "trust signer" "trust signer --help" "swarm join" "swarm unlock a" "service ls x" "service list x" \
	"service create" "service ps" "node rm" "stack rm" "stack down" "secret create" "secret create a b c" "config create a" "trust inspect" \
	"trust sign" "trust sign a b" "trust key generate" "manifest inspect" "manifest create x" "manifest rm" "plugin create" "plugin create x" \
	"plugin install" "plugin push a b" "swarm unlock --help" "service rm --help"; do
	r $DOCKER $w
done | sed "s,^--- $DOCKER,---,"
