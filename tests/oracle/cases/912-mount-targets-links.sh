#!/bin/sh
# targets of volumes, binds, tmpfs and -w at and behind links that lead round, to the root, below files and into /proc: whether it is the creation or the start that is refused, and its words
# tags: volumes,errors
# weight: rare
trap '$DOCKER rm -f -v $N $N-make >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1; $DOCKER rmi $N-i >/dev/null 2>&1' EXIT
words() {
	sed -E 's#/[^ "]*/merged##g; s#"[^"]*/volumes/[^"]*"#VOLUME#; s#"/[^"]*/src"#SRC#; s#to-root/#to-root#; s/^docker: //
s/^Error response from daemon: (failed to create task for container: )?(failed to create shim task: OCI .* container init)?/refused: /; /^$/d; /^Run /d'
}
try() {
	echo "== $*" | sed "s#$TMP/##; s#$N#N#"
	if $DOCKER create --network none --name $N "$@" $N-i true >out 2>err; then
		timeout 20 $DOCKER start -a $N 2>err >/dev/null && echo started || echo "start $?" "$(words <err)"
	else
		echo "create $?" "$(words <err)"
	fi
	$DOCKER rm -f -v $N >/dev/null 2>&1
	$DOCKER volume rm $N-v >/dev/null 2>&1
}
mkdir src
$DOCKER run --name $N-make --network none $IMAGE sh -c 'ln -s loopb /loopa; ln -s loopa /loopb; ln -s self /self; ln -s / /to-root; echo hi >/f; ln -s f /to-f
ln -s f/x /to-below-f; ln -s loopa/x /to-loop; ln -s /proc /to-proc; ln -s /nowhere/deep /to-deep; mkdir /full; touch /full/file; ln -s full /to-full'
$DOCKER commit $N-make $N-i >/dev/null
for at in /loopa /self /loopa/x /to-loop /f /f/x/y /to-f /to-f/x /to-below-f /to-below-f/z; do
	try -v $at
	try -v $N-v:$at
	try -w $at
done
for at in /loopa /self/x /to-loop /f/x /to-below-f /to-below-f/x/y; do
	try -v "$TMP/src:$at"
	try --tmpfs $at
done
try -v "$TMP/src:/to-root"
try --tmpfs /to-root/
for at in /to-proc /to-proc/x /proc/self /proc/self/x /proc/x; do
	try -v "$TMP/src:$at"
	try -v $at
done
try -w /proc/x
for at in /to-deep /dev/fd/x /dev/fd /dev/stdin/x /sys /sys/kernel /dev/shm/x; do
	try -v $at
	try -v "$TMP/src:$at"
done
echo "== what a volume begins with is the image's, whatever is mounted there"
$DOCKER run --rm --network none -v $N-v:/sys $IMAGE true
$DOCKER run --rm --network none -v $N-v:/v $IMAGE ls -A /v
$DOCKER run --rm --network none -v $N-w:/to-full $N-i ls -A /full
$DOCKER volume rm $N-v $N-w >/dev/null
