#!/bin/sh
# a working directory that the image has not is there in a container with --read-only, too
# tags: run workdir
# weight: common
trap '$DOCKER rm -fv ${N}a ${N}b ${N}c >/dev/null 2>&1; $DOCKER rmi -f ${N}i >/dev/null 2>&1; $DOCKER volume rm ${N}v >/dev/null 2>&1' EXIT
run() { $DOCKER run --rm --network none --read-only "$@"; echo "rc=$?"; }
run -w /new $IMAGE pwd; run -w /new/er -u 1000 $IMAGE sh -c 'pwd; ls -ld . .. | cut -c1-10; touch x 2>&1 | grep -c Read-only'
run -w /tmp/x/y --tmpfs /tmp $IMAGE sh -c 'pwd; touch x'; run -w /v/x -v ${N}v:/v $IMAGE sh -c 'pwd; touch x'; run -w /etc $IMAGE pwd
$DOCKER create --name ${N}a --network none --read-only -w /a/b $IMAGE pwd >/dev/null; $DOCKER start -a ${N}a; $DOCKER diff ${N}a
$DOCKER run --name ${N}b --network none --read-only -w /a/b $IMAGE pwd; $DOCKER start -a ${N}b; $DOCKER diff ${N}b
$DOCKER commit -c 'WORKDIR /q' ${N}b ${N}i >/dev/null; run ${N}i pwd; run -w / ${N}i pwd
$DOCKER run -d --name ${N}c --network none --read-only -w /deep/er $IMAGE sleep 1000 >/dev/null; $DOCKER exec ${N}c pwd
