#!/bin/sh
# volume create: the old --name, labels without a name, volume rm without a name
# tags: volume errors
# weight: rare
trap '$DOCKER volume rm -f ${N}a ${N}b >/dev/null 2>&1' EXIT
try() {
  printf '%s: ' "$*" | sed "s/$N/N/g"
  $DOCKER "$@" >out 2>err
  echo "$? $(sed "s/$N/N/g" out) $(head -1 err | sed "s/$N/N/g")"
}
try volume create --name ${N}a
try volume create --name ${N}a ${N}b
try volume create --label= ${N}b
try volume create --label =x ${N}b
try volume create --label x --label y=z ${N}b
$DOCKER volume inspect -f '{{json .Labels}}' ${N}b
try network create --label= ${N}n
try volume rm ''
try volume ls -q -f name=${N}
