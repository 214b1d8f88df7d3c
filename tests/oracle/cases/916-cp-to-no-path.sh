#!/bin/sh
# cp to a container without a path: what is in a directory lands in the root, a file and an archive have no place
# tags: cp error
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none $IMAGE sh -c 'cat /f /sub/g; ls -d /d' >/dev/null
mkdir -p d/sub
echo 1 >d/f
echo 2 >d/sub/g
chmod 700 d
x() { "$@" 2>&1 | sed "s/$N/NAME/g"; }
x $DOCKER cp d $N:
x $DOCKER start -a $N
x $DOCKER cp d/. $N:
x $DOCKER cp ./d $N:
x $DOCKER cp d/f $N:
x $DOCKER cp nosuch $N: | sed "s,$TMP,TMP,"
tar -cf - d | x $DOCKER cp - $N:
x $DOCKER cp $N: out | grep -o 'cannot be empty'
x $DOCKER start -a $N
$DOCKER cp $N:/ - | tar -tvf - 2>/dev/null | head -n 1 | cut -c1-10
