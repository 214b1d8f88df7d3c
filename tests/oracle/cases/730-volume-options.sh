#!/bin/sh
# options of a volume: which are refused at once, what inspect shows, and that df passes them over
# tags: volume
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N-v >/dev/null 2>&1' EXIT
plain() { sed "s/$N/NAME/g; "; }
try() {
	$DOCKER volume create "$@" $N-v 2>&1 | plain
	$DOCKER volume inspect -f '{{json .Options}}' $N-v 2>/dev/null | grep .
	$DOCKER volume rm $N-v >/dev/null 2>&1
}
try --opt device=x
try -o type=tmpfs
try -o o=x
try -o o=
try -o type
try -o size=1m
try -o size=x
try -o size=0
try -o foo=1
try -o =
try -o type= -o device=
try -o type=tmpfs -o device=tmpfs -o o=size=1m
try -o type=nfs -o device=:/x -o o=addr=127.0.0.1,rw
$DOCKER volume create -o device=x "$N/v" 2>&1 | plain
$DOCKER volume create -o device=x v 2>&1

$DOCKER volume create -o type=tmpfs -o device=tmpfs $N-v >/dev/null
$DOCKER volume create -o foo=bar -o device=x $N-v | plain
$DOCKER volume inspect -f '{{json .Options}}' $N-v
$DOCKER system df -v --format '{{range .Volumes}}{{.Name}} {{end}}' | grep -c "$N"
