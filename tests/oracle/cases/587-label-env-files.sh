#!/bin/sh
# --label-file, --env-file and --cidfile
# tags: create run
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
printf 'a=1\nb\n#c\n\nd=x y\n' >$TMP/f; $DOCKER create --name $N --network none --label-file $TMP/f -l e $IMAGE true | wc -c; $DOCKER inspect -f '{{json .Config.Labels}}' $N; $DOCKER rm $N >/dev/null
for v in $TMP/nosuch; do for o in --env-file --label-file; do $DOCKER run --rm --network none $o $v $IMAGE true >$TMP/o 2>$TMP/e; echo "$o rc=$?"; head -1 $TMP/e | low; done; done
echo x >$TMP/cid; $DOCKER run --rm --network none --cidfile $TMP/cid $IMAGE true 2>&1 | head -1 | low; rm $TMP/cid; $DOCKER run -d --name $N --network none --cidfile $TMP/cid $IMAGE sleep 100 >$TMP/o; wc -c <$TMP/cid; [ "$(cat $TMP/cid)" = "$(cat $TMP/o)" ] && echo same
$DOCKER run --rm --network none --cidfile $TMP/no/cid $IMAGE true >/dev/null 2>&1; echo $?; printf 'A B=1\n' >$TMP/f; $DOCKER run --rm --network none --env-file $TMP/f $IMAGE true 2>&1 | head -1 | low; printf '=x\n' >$TMP/f; $DOCKER run --rm --network none --env-file $TMP/f $IMAGE true 2>&1 | head -1 | low
