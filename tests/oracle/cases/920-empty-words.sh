#!/bin/sh
# words that are there but empty: a level of logging, and options and labels of --mount without a name; a source of -v
# that is a link to nothing
# tags: run mount volume cli
# weight: rare
trap '$DOCKER rm -fv ${N}a ${N}b >/dev/null 2>&1' EXIT
$DOCKER --log-level '' version -f '{{.Client.Os}}'; $DOCKER -l= version -f '{{.Client.Os}}'
kept() { last=$2; $DOCKER create --network none "$@" $IMAGE true >/dev/null; $DOCKER inspect -f '{{json (index .HostConfig.Mounts 0).VolumeOptions}}' $last; }
kept --name ${N}a --mount type=volume,dst=/x,volume-opt=,volume-opt==a,volume-label=,volume-label==a,volume-label=b
kept --name ${N}b --mount type=volume,dst=/x,volume-opt==a,volume-opt=type=tmpfs,volume-opt=device=x
$DOCKER run --rm --network none --mount type=volume,dst=/x,volume-opt= $IMAGE echo ran
ln -s nothing link
for v in link link/below; do
	$DOCKER run --rm --network none -v $TMP/$v:/x $IMAGE true 2>err; echo $?
	sed "1!d; s#$TMP#TMP#g" err
done
ls
