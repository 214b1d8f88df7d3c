#!/bin/sh
# tag, rmi, history, inspect of an image that is not there
# tags: tag rmi error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
i() { "$@" >$TMP/o 2>$TMP/e; echo "rc=$?"; low <$TMP/o; low <$TMP/e | sed 's/no such image: [^ ]*: No such/no such/; s/No such image/no such image/'; }
i $DOCKER tag no$N x; i $DOCKER tag no$N:y x; i $DOCKER rmi no$N; i $DOCKER rmi no$N:x no${N}2; i $DOCKER rmi -f no$N; i $DOCKER image rm no$N; i $DOCKER image inspect no$N; i $DOCKER inspect --type image no$N; i $DOCKER history no$N; i $DOCKER inspect no$N; i $DOCKER image inspect ''; i $DOCKER inspect ''; i $DOCKER inspect --type '' x; i $DOCKER inspect --type nosuch x; i $DOCKER inspect --type volume no$N; i $DOCKER inspect --type network no$N; i $DOCKER inspect --type container $IMAGE
