#!/bin/sh
# ps --filter id= is how the id of one container begins, and of an empty word none; network= a name, or how an id begins
# tags: ps filter
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b >/dev/null 2>&1' EXIT
$DOCKER run -d --name ${N}a --network host $IMAGE sleep 1000 >/dev/null
$DOCKER create --name ${N}b --network none $IMAGE true >/dev/null
id=$($DOCKER inspect -f '{{.Id}}' ${N}a); short=$(echo $id | cut -c1-12); inner=$(echo $id | cut -c5-40)
net=$($DOCKER network inspect -f '{{.Id}}' host)
list() { $DOCKER ps -a --format '{{.Names}}' "$@" | sed "s/$N/N/"; echo "rc=$?"; }
list -f id=$id; list -f id=$short; list -f id=$inner; list -f "id=^$id"; list -f "id=.*"; list -f id= -f name=$N
list -f id=$id -f name=${N}b; list -f id=$id -f name=${N}a; list -f id=zz -f id=$short
list -f network= -f name=$N; list -f network=$net -f name=$N; list -f network=$(echo $net | cut -c1-9) -f name=$N
list -f network=host -f name=$N; list -f network=hos -f name=$N; list -f network=nosuch -f name=$N
list -f network=none -f network=host -f name=$N
