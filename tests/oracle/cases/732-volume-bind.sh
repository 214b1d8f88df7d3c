#!/bin/sh
# what a container finds in a volume whose options say bind, and what is told where it cannot be mounted
# tags: volume
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N-v >/dev/null 2>&1' EXIT
plain() { sed "s#$TMP#TMP#g; s/$N/NAME/g; s#[^' :]*/volumes/#ROOT/#g"; }
use() { # OPTIONS COMMAND
	words=$1; shift
	$DOCKER volume create $words $N-v >/dev/null
	$DOCKER volume inspect -f '{{.Mountpoint}}' $N-v | plain
	$DOCKER run --name $N --network none -v $N-v:/sbx-m $IMAGE sh -c "$1" >out 2>err
	echo "$?"
	$DOCKER inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' $N | plain
	$DOCKER inspect -f '{{range .Mounts}}{{.Type}} {{.Name}} {{.Source}} {{.RW}}{{end}}' $N | plain
	cat out
	grep -v '^$' err | head -n 1 | plain
	$DOCKER rm $N >/dev/null; $DOCKER volume rm $N-v >/dev/null
}
use "-o type=none -o o=bind -o device=$TMP/none" true
use "-o type=none -o o=bind,nosuid,rprivate -o device=$TMP/none" true
use "-o type=none -o o=bind -o device=$TMP/out" true
use '-o type=none -o o=bind -o device=none/such' true
mkdir dir
use "-o type=none -o o=bind -o device=$TMP/dir" 'touch /sbx-m/f; ls /sbx-m'
use "-o type=x -o o=bind,ro -o device=$TMP/dir" 'ls /sbx-m; touch /sbx-m/x 2>/dev/null || echo refused'
use "-o type=none -o o=rbind,ro,noexec -o device=$TMP/dir" 'grep "/sbx-m" /proc/mounts | cut -d " " -f 4 | cut -d , -f -2'
ls dir
