#!/bin/sh
# what the one context tells, and words that name none
# tags: context, errors
# weight: common
unset DOCKER_HOST DOCKER_CONTEXT DOCKER_CONFIG
export HOME="$TMP"
show() {
	echo "\$ $*"
	timeout 90 $DOCKER "$@" >out 2>err </dev/null
	echo "code: $?"
	sed "s|$TMP|TMP|g" out
	sed "s|$TMP|TMP|g; s/^/err: /" err
}
show context ls
show context list -q
show context ls --format json
show context ls --format 'table {{.Name}}\t{{.DockerEndpoint}}'
show context ls --format '{{.Nope}}'
show context ls nope
show context show
show context inspect
show context inspect nope default
show context inspect -f '{{.Endpoints.docker.Host}} {{.Name}}' default default
show context inspect -f '{{.Nope}}'
show context inspect -f json
show context use
show context use default
show context use nope
show context use a/b
show context use ""
show context rm default
show context rm nope default
show context rm -f nope
show context rm
show context nope
show context -q
show -c nope ps
show --context nope version
show -c nope context ls
show -c nope context show
show -c nope ps --nope
show -c nope run
show -c nope inspect x
show -c default -H unix:///nowhere ps
show --config /nowhere -c nope volume ls
export DOCKER_CONTEXT=nope
show ps
show context ls
show context show
export DOCKER_HOST=unix:///nowhere
show context ls
show context use default
show context inspect -f '{{.Endpoints.docker.Host}}'
