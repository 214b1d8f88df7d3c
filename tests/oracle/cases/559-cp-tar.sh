#!/bin/sh
# tar streams into and out of a container
# tags: cp
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; cd $TMP; mkdir t; echo 1 >t/a; ln t/a t/hard; ln -s a t/sym; chmod 640 t/a
tar c t | $DOCKER cp - $N:/tmp; $DOCKER cp $N:/tmp/t - | tar tv | awk '{print $1,$6,$7,$8,$9}' | sort; $DOCKER cp $N:/tmp/t/. - | tar t | sort; echo garbage | $DOCKER cp - $N:/tmp 2>/dev/null; echo $?; $DOCKER cp $N:/etc/passwd - | tar t
