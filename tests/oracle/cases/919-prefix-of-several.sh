#!/bin/sh
# a word that begins several ids is of none of them: said by every command, and by inspect without a type before it looks
# for images, networks and volumes
# tags: inspect container
# weight: common
trap '$DOCKER rm -f $ids >/dev/null 2>&1' EXIT
ids= p= seen=
for i in 0 1 2 3 4 5 6 7 8 9 a b c d e f g; do ids="$ids $($DOCKER create --network none $IMAGE true)"; done
for id in $ids; do c=$(printf %.1s $id); case $seen in *$c*) p=$c; break ;; esac; seen=$seen$c; done
ask() { $DOCKER "$@" 2>&1 | sed "s/Multiple/multiple/; s/: $p\$/: PREFIX/; s/named $p\$/named PREFIX/"; }
ask inspect $p; ask inspect --type container $p; ask inspect -f '{{.Id}}' $p; ask container inspect $p
ask start $p; ask rm $p; ask logs $p; ask rename $p ${N}x
