#!/bin/sh
# mount targets and working directories at and through symbolic links: what is not there is made where the link leads, inside
# tags: create,volume,workdir
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1; $DOCKER rmi $N-i >/dev/null 2>&1' EXIT
$DOCKER run --name $N --network none $IMAGE sh -c '
	mkdir -p /real/sub /deep/er && cd / && ln -s /real abs && ln -s real rel && ln -s /nowhere/at dang && ln -s none/there dangrel &&
	ln -s ../../../../real up && ln -s ../../../../outside/of upout && ln -s ../../real deep/er/back &&
	ln -s /nowhere/../other/place dots && ln -s chain2 chain && ln -s /dang chain2 && ln -s / toroot && ln -s loop2 loop && ln -s loop loop2'
$DOCKER commit $N $N-i >/dev/null
$DOCKER rm $N >/dev/null
mkdir src && echo x >src/file
try() {
	echo "== $*" | sed "s|$TMP|TMP|g; s/$N/N/g"
	$DOCKER create --name $N --network none "$@" $N-i sh -c 'pwd; grep " /[a-z].*$" /proc/self/mountinfo | cut -d" " -f5 | grep -E "^/(nowhere|none|other|outside|deep|toroot|chain)|^/real"
		ls -d /real/* /nowhere/at/* /nowhere/* /none/* /other/* /outside/* /deep/er/* 2>/dev/null; true' >/dev/null 2>&1 || echo refused
	case $1 in -w) $DOCKER diff $N 2>/dev/null | sort ;; esac
	$DOCKER start -a $N 2>/dev/null || echo failed
	$DOCKER diff $N 2>/dev/null | sort
	$DOCKER rm -v $N >/dev/null 2>&1
}
for at in /dang /dangrel/y/z; do
	try -v $TMP/src/file:$at
	try -v $TMP/src:$at
	try -w $at
done
try -v /dang/x
try -v $N-v:/dots/q
try --tmpfs /upout/x
try --mount type=volume,target=/chain
try --mount type=bind,src=$TMP/src,dst=/deep/er/back/q
try --mount type=tmpfs,dst=/dangrel
try -w /dang/in/it -v $TMP/src:/dang
try -v /toroot/qq
try -w /loop/x
try -v $TMP/src:/loop
