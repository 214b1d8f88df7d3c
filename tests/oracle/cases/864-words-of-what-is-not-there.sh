#!/bin/sh
# groups of which no command is meant, and commands of swarm, trust and the like: their options, counts and help
# tags: cli
# weight: rare
export DOCKER_API_VERSION=1.41
try() {
	echo "# $*"
	$DOCKER "$@" >out 2>err </dev/null
	echo "$?"
	sed 's/, build .*//' out | head -n 3
	cat err
}
for group in volume image container network system context plugin swarm node service stack secret config trust 'trust key' \
	manifest; do
	for words in --nosuch 'x --nosuch' 'x -Z' '--help --nosuch' 'x --nosuch --help' 'x -- --nosuch' - '- x' '--help=zz' '--=3' \
		'--help=false x' 'x -h -q'; do
		try $group $words
	done
done
for words in 'nosuch --nosuch' 'nosuch x -Z' 'nosuch -D' 'nosuch --help --bad' '--help nosuch --bad' 'nosuch -H' 'nosuch -- --bad' \
	'nosuch -v' '-v nosuch' 'nosuch --tls=zz' '--bad nosuch' 'nosuch -l zz' '-l zz nosuch' 'nosuch - x'; do
	try $words
done
for words in 'service ls --nosuch' 'service ls -q x' 'service create --replicas' 'service create --limit-memory zz x' \
	'service create --health-retries x y' 'service create --detach=zz x' 'service create' 'service update --nosuch x' \
	'service logs' 'service logs a b' 'stack deploy -c' 'stack deploy --prune=2 x' 'stack rm' 'stack ps a b' 'secret ls --format' \
	'secret create a b c' 'secret rm' 'config create a' 'config ls x' 'node ps --nosuch' 'node update' 'swarm init x' 'swarm join' \
	'swarm join-token' 'swarm init --task-history-limit x' 'trust sign' 'trust key load --nosuch x' 'trust signer add x' \
	'manifest create x' 'manifest annotate --nosuch a b' 'plugin create x' 'plugin install --nosuch x' 'plugin push' \
	'system dial-stdio x'; do
	try $words
done
for words in 'swarm ca' 'swarm init' 'swarm join' 'swarm join-token' 'swarm leave' 'swarm unlock' 'swarm unlock-key' 'swarm update' \
	'node inspect' 'node ls' 'node ps' 'node rm' 'node update' 'service create' 'service inspect' 'service logs' 'service ls' \
	'service ps' 'service rm' 'service rollback' 'service scale' 'service update' 'stack config' 'stack deploy' 'stack ls' 'stack ps' \
	'stack rm' 'stack services' 'secret create' 'secret inspect' 'secret ls' 'config create' 'config inspect' 'config ls' \
	'trust key generate' 'trust key load' 'trust signer add' 'trust signer remove' 'trust inspect' 'trust revoke' 'trust sign' \
	'plugin create' 'plugin install' 'plugin push'; do
	echo "# $words"
	$DOCKER $words --help
	$DOCKER help $words | head -n 1
done
