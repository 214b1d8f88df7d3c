#!/bin/sh
# cp out of a container: to files, directories, and what is not there
# tags: cp
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run --name $N --network none $IMAGE sh -c 'echo hi >/f; mkdir -p /d1/e; echo x >/d1/e/y'; echo o >$TMP/o1; mkdir $TMP/w; cd $TMP/w
for a in "/f o1" "/f nosuch/" "/f nosuch/x" "/nosuch x" "/d1 o2" "/d1 o2" "/d1 o1" "/d1/. o3" "/d1/. o1" "/d1 o4/" "/d1/nosuch/. o5" "/proc/version v" "../etc/hostname h" "f rel"; do
  set -- $a; $DOCKER cp $N:$1 $2 >../out 2>../err; echo "$a rc=$?"; grep -v -e ^Success -e '^$' ../err | low
done; find . | sort
