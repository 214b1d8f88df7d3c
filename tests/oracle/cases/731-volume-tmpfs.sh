#!/bin/sh
# what a container finds in a volume whose options say tmpfs, and what is told where it cannot be mounted
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
on='stat -c "%a %u %F" /sbx-m; df -k /sbx-m | tail -n 1 | tr -s " " | cut -d " " -f 2; touch /sbx-m/x && echo written'
tmp='-o type=tmpfs -o device=tmpfs'
use "$tmp -o o=size=1m,mode=0700" "$on"
use "$tmp -o o=size=1m,nosuid,noexec" "$on; grep -c '/sbx-m tmpfs rw,nosuid,noexec,relatime' /proc/mounts"
use "$tmp -o o=ro,size=1m" 'grep -c "/sbx-m tmpfs ro," /proc/mounts; touch /sbx-m/x 2>/dev/null || echo refused'
use "$tmp -o o=ro,noexec,nosuid,foo" true
use "$tmp -o o=remount,size=1m" true
use '-o type=tmpfs -o device=' true
use '-o type= -o device=' true
use '-o type=none -o device=/tmp' true
