#!/bin/sh
# help of help, completion without a shell, ages of builds, a restart policy without a name, networks before containers
# tags: cli,network
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
try() {
	echo "# $*" | sed "s/$N/NAME/g"
	$DOCKER "$@" >out 2>err </dev/null; echo "$?"
	cat out err | grep -v -e DEPRECATED -e 'Install the buildx' -e https://docs.docker.com/go/buildx/ -e '^$' -e powershell |
		sed "s/[0-9a-f]\{64\}/ID/g; s/: Invalid/: invalid/; s/$N/NAME/g"
}
try help help
try help help help
try completion
try completion nope
try completion bash x
try builder prune -af --filter unused-for=1h
try builder prune -af --filter unused-for=1
try builder prune -f --filter until=foo
try builder prune -f --filter until=1h --filter until=2h
try builder prune -f --filter until=1h --filter unused-for=2h
try builder prune -f --filter nope=1
try volume rm -f ../x
try volume rm -f . ./$N $N
for names in "none $N" "'' x" "x ''" "' ' x" ". x" "x/../none $N"; do
	eval "try network connect $names"
	eval "try network disconnect $names"
	eval "try network disconnect -f $names"
done
$DOCKER create --name $N --network none --restart '' $IMAGE false >/dev/null
try start -a $N
try inspect -f '{{json .HostConfig.RestartPolicy}} {{.RestartCount}} {{.State.Status}}' $N
try network disconnect host $N
try network disconnect -f host $N
