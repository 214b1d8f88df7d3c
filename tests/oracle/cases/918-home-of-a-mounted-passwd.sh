#!/bin/sh
# a passwd file that is mounted names no users for -u, but tells the home: of run, by number and by name, and of exec
# tags: user volume env run exec
# weight: common
trap '$DOCKER rm -f ${N}a ${N}b >/dev/null 2>&1' EXIT
printf 'root:x:0:0:root:/of-root:/bin/sh\nme:x:1234:5:me:/of-me:/bin/sh\nagain:x:1234:6::/again:\n' >passwd
home() { $DOCKER run --rm --network none -v $TMP/passwd:/etc/passwd:ro "$@" sh -c 'echo "[$HOME]"'; }
home $IMAGE; home -u 1234 $IMAGE; home -u 1234:1234 $IMAGE; home -u 4321 $IMAGE
home -u 1234 -e HOME= $IMAGE
home -u me $IMAGE 2>&1 | grep -o 'unable to find user me'
$DOCKER run --rm --network none --mount type=bind,src=$TMP,dst=/etc -u 1234 $IMAGE sh -c 'echo "[$HOME]"'
$DOCKER run -d --name ${N}a --network none -v $TMP/passwd:/etc/passwd $IMAGE sleep 1000 >/dev/null
ask() { $DOCKER exec "$@" sh -c 'echo "[$HOME]"'; }
ask ${N}a; ask -u 1234 ${N}a; ask -u 1234:0 ${N}a; ask -u 4321 ${N}a
$DOCKER exec ${N}a sh -c 'echo late:x:4321:0::/late: >>/etc/passwd'
ask -u 4321 ${N}a
$DOCKER run -d --name ${N}b --network none $IMAGE sleep 1000 >/dev/null
$DOCKER exec ${N}b sh -c 'echo late:x:4321:0::/late: >>/etc/passwd'
ask -u 4321 ${N}b; ask -u late ${N}b
