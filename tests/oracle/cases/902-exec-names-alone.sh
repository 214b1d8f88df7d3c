#!/bin/sh
# exec -e NAME without a value takes away what the container has, and nothing that another -e gives
# tags: exec env
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
$DOCKER run -d --name ${N}a --network none -e D=1 $IMAGE sleep 1000 >/dev/null
ask() { $DOCKER exec "$@" ${N}a sh -c 'echo "[${C-unset}] [${D-unset}]"'; }
unset C D
ask -e C=3 -e C; ask -e C -e C=3; ask -e C; ask -e D; ask -e D=2 -e D; ask -e D -e D=2; ask -e D=2; ask -e C=1 -e C=2; ask -e D=1 -e D=5
C=7; export C; ask -e C=3 -e C; ask -e C -e C=3; ask -e C; ask -e C -e C
echo C >f; unset C; ask --env-file f -e C=3; ask --env-file f -e C; echo C=4 >f; ask --env-file f -e C; ask --env-file f -e C=3
