#!/bin/sh
# -v: words that are a path inside alone, drives of Windows among them, and relative ones; names that are long
# tags: volume,words
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-$long >/dev/null 2>&1' EXIT
show() {
	echo "== $*"
	if $DOCKER create --name $N --network none "$@" $IMAGE true >/dev/null 2>err; then
		$DOCKER inspect -f '{{json .HostConfig.Binds}} {{json .HostConfig.Mounts}} {{json .Config.Volumes}}{{range .Mounts}} {{.Type}}:{{.Destination}}:{{.Mode}}{{end}}' $N
		$DOCKER rm -v $N >/dev/null
	else
		head -n 1 err
	fi
}
for word in : :: ::: '' ' ' x xx x:y x:/y x:/y:/z 'x:\y:/z' /x:y:/z a/b/../c/ ../a /a//b/../c/ :/x /x: /a:/b::/c /a:/b:z:ro /a:/b:rw:ro; do
	show -v "$word"
done
show -v /a -v /a/ -v /a/.
show -v /a -v a/b
show --mount type=volume,dst=//a/../b

$DOCKER run --name $N --network none -v sbx-in/a -v x:/sbx $IMAGE sh -c 'cut -d " " -f 2 /proc/mounts | grep sbx | sort; echo inside >/sbx-in/a/f'
$DOCKER start -a $N
$DOCKER cp $N:/sbx-in/a/f - | tar xO
$DOCKER rm -v $N >/dev/null

long=$(printf '%0*d' $((254 - ${#N})) 1)
$DOCKER volume create $N-$long | wc -c
$DOCKER volume create $N-${long}2 2>&1 | grep -o 'error while creating volume root path\|file name too long'
