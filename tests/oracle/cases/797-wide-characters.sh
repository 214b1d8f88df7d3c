#!/bin/sh
# columns of a terminal, not characters, are counted: wide ones, marks, smileys
# tags: ps
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b ${N}c ${N}d >/dev/null 2>&1' EXIT
times() { i=0; while [ $i -lt $1 ]; do printf "$2"; i=$((i + 1)); done; }
wide='\346\227\245\346\234\254' marked='e\314\201' smiley='\360\237\221\215'
$DOCKER create --name ${N}a --network none -l "k=$(times 3 $wide)" $IMAGE echo "$(times 8 $wide)" >/dev/null
$DOCKER create --name ${N}b --network none $IMAGE echo "$(times 22 '\303\251')" >/dev/null
$DOCKER create --name ${N}c --network none $IMAGE echo "$(times 10 $marked)" >/dev/null
$DOCKER create --name ${N}d --network none $IMAGE echo 'a	"b"' "$(times 8 $smiley)" >/dev/null
$DOCKER ps -a --filter name=$N --format 'table {{.Command}}\t{{.Labels}}\t{{.Names}}' | sed "s/$N/NAME/"
$DOCKER ps -a --filter name=$N --no-trunc --format 'table {{.Command}}\t{{.Labels}}\t{{.Names}}' | sed "s/$N/NAME/"
