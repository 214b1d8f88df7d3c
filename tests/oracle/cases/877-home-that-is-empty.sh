#!/bin/sh
# an empty HOME is none: of the command line, of an image, and of exec
# tags: env run exec
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b >/dev/null 2>&1; $DOCKER rmi -f ${N}i >/dev/null 2>&1' EXIT
home() { $DOCKER run --rm --network none "$@" sh -c 'echo "[$HOME]"'; }
home -e HOME= $IMAGE; home -u 1234 -e HOME= $IMAGE; home -e HOME=/x -e HOME= $IMAGE; home -e HOME= -e HOME=/x $IMAGE
(export HOME=; home -e HOME $IMAGE)
$DOCKER create --name ${N}a --network none $IMAGE true >/dev/null
$DOCKER commit -c 'ENV HOME=' ${N}a ${N}i >/dev/null
home ${N}i
$DOCKER run -d --name ${N}b --network none -e HOME= ${N}i sleep 1000 >/dev/null
$DOCKER inspect -f '{{json .Config.Env}}' ${N}b
$DOCKER exec ${N}b sh -c 'echo "[$HOME]"'; $DOCKER exec -e HOME= ${N}b sh -c 'echo "[$HOME]"'
$DOCKER exec -e HOME= -u 1234 ${N}b sh -c 'echo "[$HOME]"'
