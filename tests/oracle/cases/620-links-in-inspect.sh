#!/bin/sh
# what inspect tells of --link, and what it refuses
# tags: create,inspect
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b ${N}c ${N}d ${N}e >/dev/null 2>&1' EXIT
links() { $DOCKER inspect -f '{{range .HostConfig.Links}}{{println .}}{{else}}{{json .HostConfig.Links}}{{end}}' "$1" | sort | sed "s,$N,NAME,g"; }
make() { $DOCKER create --network none "$@" "$IMAGE" true >/dev/null 2>err; echo rc=$?; sed "/^WARNING/d; /^Usage/d; /^Run/d; /^\$/d; s,$N,NAME,g" err; }
$DOCKER create --network none --name ${N}a "$IMAGE" sleep 100 >/dev/null
make --name ${N}b --link ${N}a --link ${N}a:foo --link ${N}a:foo --link /${N}a:/other/bar
links ${N}b
make --name ${N}c --link ${N}a:
links ${N}c
$DOCKER rm ${N}c >/dev/null
$DOCKER rename ${N}a ${N}d
$DOCKER rename ${N}b ${N}e
links ${N}e
$DOCKER start ${N}e 2>&1 | sed "s,$N,NAME,g; s,^Error: failed.*,failed,"
$DOCKER rm -f ${N}d >/dev/null
$DOCKER rm ${N}e >/dev/null
make --name ${N}c --link ${N}nosuch:x
make --name ${N}c --link ${N}a:b:c
make --name ${N}c --link ''
$DOCKER create --name ${N}c --network ${N}net --link ${N}nosuch:x "$IMAGE" true >/dev/null 2>&1
echo rc=$?
$DOCKER inspect -f '{{json .HostConfig.Links}}{{range .NetworkSettings.Networks}}{{json .Links}}{{end}}' ${N}c | sed "s,$N,NAME,g"
