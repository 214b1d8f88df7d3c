#!/bin/sh
# what docker's client refuses, and hides, where $DOCKER_API_VERSION names an older API
# tags: cli
# weight: rare
t() {
	version=$1; shift
	DOCKER_API_VERSION=$version $DOCKER "$@" >out 2>err </dev/null; echo "# $version $* -> $?"
	head -n 4 out | sed '1!d'; head -n 8 err | sed '/WARNING/d'
}
t 1.20 run --init --cpus 1 --platform x --gpus all --cgroupns host --annotation a=b --health-start-interval 1s image true
t 1.30 run --init=false --platform '' image true
t 1.24 create --stop-timeout 1 --health-start-period 1s --cpu-rt-period 1 --cpu-rt-runtime 1 image
t 1.30 run --platform x
t 1.30 run --platform x --cpu-count 1 image
t 1.30 run --platform x --help
t 1.30 run --platform x --bogus
t 1.30 run --bogus --platform x
t x run --init image
t 1.24 exec -e a=b -w / --env-file /dev/null none true
t 1.34 logs --until 1m none
t 1.24 update --cpu-rt-period 1 --cpu-rt-runtime 1 --pids-limit 3 --cpus 1 none
t 1.24 network create --attachable --ingress --scope x --config-only --config-from y n
t 1.41 volume create --scope single v
t 1.41 volume ls --cluster
t 1.24 volume rm -f v
t 1.20 volume rm -f v
t 1.41 volume prune -a -f
t 1.30 volume prune
t 1.30 system prune
t 1.27 system prune --filter label=x
t 1.30 images --tree
for command in load save history; do t 1.47 $command --platform linux/amd64 none; done
t 1.48 image inspect --platform linux/amd64 none
t 1.49 rmi --platform linux/amd64 none
t 1.45 push --platform linux/amd64 none
t 1.31 pull --platform x image
t 1.31 import --platform x - </dev/null
for words in 'system df' 'system prune -f' 'container prune -f' 'image prune --bogus' 'network prune' 'network' 'network --help' \
	'network --bogus' 'network bogus' 'network bogus --help' 'help network' 'help network ls' 'network ls --help' \
	'volume ls' 'config' 'config ls' 'config --help' 'plugin ls' 'plugin upgrade' 'secret ls' 'stack ls'; do
	t 1.20 $words
done
t 1.24 plugin upgrade
t 1.29 swarm ca
t 1.28 service logs --help
t 1.30 service rollback
t 1.20 stack bogus
t 1.20 stack --bogus
t 1.24 network --help
for version in 1.24 1.25 1.42; do
	DOCKER_API_VERSION=$version $DOCKER system --help | grep -c prune
	DOCKER_API_VERSION=$version $DOCKER volume prune --help | grep -c -e --all
	DOCKER_API_VERSION=$version $DOCKER run --help | grep -cE -e '--(platform|gpus|cgroupns|annotation|init|cpus|health-start)'
	DOCKER_API_VERSION=$version $DOCKER exec --help | grep -cE -e '--(env|env-file|workdir) '
done
DOCKER_API_VERSION=1.20 $DOCKER --help | grep -cE '^  (network|volume) '
:
