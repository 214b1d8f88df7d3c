#!/bin/sh
# cp: which part of a path is not there, and paths that go through a file
# tags: cp, errors
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
mkdir t; echo a >t/a; echo f >f; ln -s nope dl; ln -s f fl; ln -s t tl; ln -s dl ddl; ln -s "$TMP/t/gone/x" al
$DOCKER create --network none --name $N $IMAGE true >/dev/null
for p in nope nope/ nope/. nope/x ./nope f/ f/. f/x t/nope t/nope/ t/nope/y dl/ dl/. fl/ fl/. ddl/ al/ tl/nope /nope/x/y; do
	echo "[$p] $($DOCKER cp "$p" $N:/x 2>&1 | sed "s|$TMP|TMP|g")"
	echo "[-L $p] $($DOCKER cp -L "$p" $N:/x 2>&1 | sed "s|$TMP|TMP|g")"
done
for p in dl ddl al; do echo "[-L $p] $($DOCKER cp -L "$p" $N:/x 2>&1 | sed "s|$TMP|TMP|g")"; done
for p in f/ f/. f/x fl/ nope/ nope/x; do
	echo "[to $p] $($DOCKER cp $N:/etc/hostname "$p" 2>&1 | sed "s|$TMP|TMP|g")"
done
