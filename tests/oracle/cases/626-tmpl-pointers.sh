#!/bin/sh
# print and printf show that a struct is a pointer, the plain action does not
# tags: inspect, format
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
$DOCKER create --network none --name ${N}a --restart on-failure:3 "$IMAGE" true >/dev/null
for f in '{{.State}}' '{{printf "%v" .State}}' '{{printf "%+v" .State}}' '{{print .State}}' '{{with .State}}{{.}}{{end}}' \
	'{{printf "%v" .HostConfig.RestartPolicy}}' '{{printf "%+v" .HostConfig.RestartPolicy}}' '{{printf "%+v" .HostConfig.LogConfig}}' \
	'{{println .State .HostConfig.LogConfig}}' '{{.State.Health}}' '{{.State.Nosuch}}' '{{.Config.Nosuch}}'; do
	$DOCKER inspect -f "$f" ${N}a 2>&1
done
$DOCKER ps -a --filter "name=^${N}a$" --format '{{.Platform}}|{{if .Platform}}y{{else}}n{{end}}|{{json .Platform}}|{{printf "%v" .Platform}}'
