#!/bin/sh
# cp of links in both directions, with -L and without
# tags: cp
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; cd $TMP; echo abc >f; ln -s f l; ln -s nosuch dang
$DOCKER cp f $N:/f; $DOCKER cp l $N:/l; $DOCKER cp dang $N:/dang; $DOCKER cp -L l $N:/l2; $DOCKER cp -L dang $N:/x 2>&1 | low
for p in /f /l /l2 /dang; do $DOCKER cp $N:$p - | tar tv | awk '{print substr($1,1,1),$6,$7,$8}'; done
$DOCKER cp -L $N:/l - | tar tv | awk '{print substr($1,1,1),$6}'; $DOCKER cp $N:/l ll; readlink ll; $DOCKER cp -L $N:/l lf; cat lf; ls | sort
