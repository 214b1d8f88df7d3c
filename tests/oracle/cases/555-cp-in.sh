#!/bin/sh
# cp into a container: to files, directories, and what is not there
# tags: cp
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; echo hi >$TMP/f; mkdir -p $TMP/d/e; echo x >$TMP/d/e/y
for a in "f /f" "f /tmp" "f /tmp/" "f /tmp/g" "f /nosuch/" "f /nosuch/g" "f /etc/passwd/x" "f rel" "nosuch /x" "d /d1" "d /d1" "d/. /d2" "d/. /d3/" "d /d4/" "d /etc/passwd" "d/. /f" "f /d1/." "f /dev/null"; do
  set -- $a; $DOCKER cp $TMP/$1 $N:$2 >$TMP/o 2>$TMP/e; echo "$a rc=$?"; grep -v -e ^time= -e ^Success -e '^$' $TMP/e | low
done; $DOCKER diff $N | sort
