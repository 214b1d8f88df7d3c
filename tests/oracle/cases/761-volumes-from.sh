#!/bin/sh
# --volumes-from: its words, what inspect tells of it, and what else is mounted at the same places
# tags: volume,create,inspect
# weight: common
trap '$DOCKER rm -fv $N $N-2 $N-3 >/dev/null 2>&1; $DOCKER volume rm $N-v $N-w >/dev/null 2>&1' EXIT
plain() { sed -E "s#$TMP#TMP#g; s/[0-9a-f]{64}/ID/g; s/$N/NAME/g"; }
show() {
	$DOCKER inspect -f '{{json .HostConfig.Binds}} {{json .HostConfig.Mounts}} {{json .HostConfig.VolumesFrom}} {{json .Config.Volumes}} {{json .HostConfig.Tmpfs}}' $1 | plain |
		sed 's#^\["TMP/d:/b:ro,rprivate","NAME-v:/a"\]#["NAME-v:/a","TMP/d:/b:ro,rprivate"]#' # docker's client has them in any order
	$DOCKER inspect -f '{{range .Mounts}}{{.Type}} {{.Name}} {{.Destination}} {{json .Mode}} {{.RW}} {{json .Propagation}} {{.Driver}}{{println}}{{end}}' $1 | plain | sort
}
try() {
	echo "# $*" | plain
	$DOCKER create --name $N-2 --network none "$@" $IMAGE true 2>&1 >/dev/null | plain
	$DOCKER inspect $N-2 >/dev/null 2>&1 && show $N-2
	$DOCKER rm -v $N-2 >/dev/null 2>&1
}
mkdir d e
$DOCKER create --name $N --network none -v $N-v:/a -v $TMP/d:/b:ro,rprivate -v /anon --tmpfs /t $IMAGE true >/dev/null
show $N
for word in '' : ro :ro :rw :z :Z :ro,z :Z,rw :delegated :nocopy :rslave :rw,rslave :ro:rw :foo :RO :ro,rw :ro,; do
	try --volumes-from "$N$word"
done
try --volumes-from ''
try --volumes-from :
try --volumes-from :ro
try --volumes-from $N-none:ro
try --volumes-from $N-none:no
try --volumes-from $N,$N
for word in "-v $TMP/e:/a" "-v $N-w:/a" "-v /a" "--tmpfs /a" "--tmpfs /b" "--mount type=tmpfs,dst=/a" "--mount type=bind,src=$TMP/e,dst=/a" "--mount type=volume,dst=/anon" "-v $TMP/e:/t"; do
	try --volumes-from $N $word
done
$DOCKER create --name $N-3 --network none -v $N-w:/a -v $TMP/e:/e $IMAGE true >/dev/null
try --volumes-from $N --volumes-from $N-3:ro
try --volumes-from $N-3 --volumes-from $N
$DOCKER run --rm --network none --volumes-from $N --tmpfs /a $IMAGE grep -o '^tmpfs /[at] tmpfs' /proc/mounts
