#!/bin/sh
# the same -p twice is kept twice
# tags: create,ports,inspect
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
$DOCKER create --name ${N}a -p 8080:80 -p 8080:80 -p 127.0.0.1:81:80 -p 90-91:90-91 -p 90:90 -p 80 -p 80 "$IMAGE" true >/dev/null
$DOCKER inspect -f '{{json .HostConfig.PortBindings}} {{json .Config.ExposedPorts}}' ${N}a
$DOCKER ps -a --filter name=${N}a --format '[{{.Ports}}]'
$DOCKER port ${N}a
