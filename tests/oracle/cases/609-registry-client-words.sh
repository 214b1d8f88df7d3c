#!/bin/sh
# what login, logout and push say before any registry is asked
# tags: login, push
# weight: rare
run() { echo "== $*"; $DOCKER "$@" >out 2>err </dev/null; echo "$?"; cat out err; }
for server in '' a.example https://a.example/v1 http://a.example:5000/x docker.io a/b; do run logout "$server"; done
run logout
run logout a b
run login
run login -u a
run login -u ''
run login -u '' -p b
run login -u a -p ''
run login -p x localhost:1
run login --password-stdin
run login -u a --password-stdin
run login -u a -p b --password-stdin
run login a b
for name in $N $N:x localhost:1/$N:v BAD '' $N@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do
	for o in -q -a --disable-content-trust; do run push $o "$name"; done
done 2>&1 | sed "s/$N/NAME/g"
run push
run push a b
