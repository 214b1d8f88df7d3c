#!/bin/sh
# cp: links whose words lead out of the destination are refused, out of a container and into one; what may not take another's place
# tags: cp
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
cp() {
	echo "# $*" | sed "s#$TMP#TMP#g; s#$N#NAME#g"
	$DOCKER cp "$@" 2>err; echo "$?"
	grep -v level=error err | sed "s#$TMP#TMP#g; s#Error processing tar file([^)]*): ##; s#$N#NAME#g"
	for f in out/*; do
		[ -L "$f" ] && echo "$f -> $(readlink "$f")"
	done
	rm -rf out; mkdir out
}
mkdir out
$DOCKER run --name $N --network none $IMAGE sh -c 'mkdir -p /t/d /o; cd /t; ln -s ../../x out; ln -s d in; ln -s /abs abs; ln -s ../t/d back; ln -s .. up
	ln -s /tmp /o/tmp; cd /o; ln -s ../o/../o good; ln -s . dot'
cp $N:/t .
cp $N:/t/. out
cp $N:/t/in out
cp $N:/t/out out
cp $N:/t/out out/name
cp $N:/t/up out
cp $N:/t/abs out/
cp $N:/t/back out
cp $N:/o/good out/.
cp $N:/o/dot out/x
$DOCKER cp $N:/t/out - | tar -t
ln -s ../../x rel; ln -s /abs abs; mkdir many; ln -s .. many/up; ln -s ../many many/self; ln -s 'a "b' many/odd
cp rel $N:/tmp/
cp rel $N:/o/tmp
cp rel $N:/rel
cp abs $N:/tmp
cp many/. $N:/t
cp many $N:/many
tar -cf many.tar many
$DOCKER cp - $N:/tmp <many.tar; echo "$?"
$DOCKER cp - $N:/ <many.tar; echo "$?"
echo "# kinds"
mkdir -p sub/f sub/d; echo >sub/d/f; mkdir -p out/f
cp sub/f $N:/tmp
cp sub/d/f $N:/tmp
cp sub/d/. $N:/tmp
mkdir -p out/d; echo >out/d/f
cp $N:/tmp/f out/d
mkdir -p out/f
cp $N:/t/out out/f
mkdir -p out/out
cp $N:/t/out out
echo x >out/d
cp $N:/t/d out
echo "# paths of nothing"
cp /sbx-nope $N:/
cp //sbx-nope $N:/
cp -L /sbx-nope $N:/
cp /sbx-nope/ $N:/
cp /sbx-nope/x $N:/
cp $TMP/nope $N:/
