#!/bin/sh
# cp of what is in a directory, with slashes behind the dot
# tags: cp
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
mkdir -p $TMP/src/sub && echo x >$TMP/src/sub/f
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER cp $TMP/src $N:/opt/src
for path in src/. src/./ src/.// src/./. src/ ./src/./ src/sub/..; do
	echo "# $path"
	mkdir $TMP/d
	$DOCKER cp "$N:/opt/$path" $TMP/d 2>&1
	(cd $TMP/d && find . | sort | paste -sd' ' -)
	rm -r $TMP/d
	$DOCKER cp "$N:/opt/$path" - | tar -tf - | sort | paste -sd' ' -
	$DOCKER cp "$TMP/$path" $N:/mnt 2>&1
	$DOCKER cp $N:/mnt - | tar -tf - | sort | paste -sd' ' -
	$DOCKER rm $N >/dev/null
	$DOCKER create --name $N --network none $IMAGE true >/dev/null
	$DOCKER cp $TMP/src $N:/opt/src
done
echo "# to what is not there"
for path in no/./ no/. no/; do
	$DOCKER cp $TMP/src $N:/opt/$path 2>&1 | grep -v ^time= | sed "s/$N/NAME/; s/[0-9a-f]\{64\}/ID/"
	$DOCKER cp $TMP/src/sub/f $N:/opt/$path 2>&1 | grep -v ^time= | sed "s/$N/NAME/; s/[0-9a-f]\{64\}/ID/; s,$TMP,TMP,g"
done
