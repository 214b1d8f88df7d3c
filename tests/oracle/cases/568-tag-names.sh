#!/bin/sh
# names that a tag may have
# tags: tag
# weight: common
trap '$DOCKER rmi $($DOCKER images --format "{{.Repository}}:{{.Tag}}" | grep $N) >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for t in $N $N:B a/b/$N:c localhost/$N:b x.y:5000/$N:1 ${N}__b $N--b A '' 'a b' a:b:c a@b :a a: a//b _a a_ a..b -x sha256:abc; do $DOCKER tag $IMAGE "$t" >$TMP/o 2>$TMP/e; echo "$t rc=$?" | low; low <$TMP/e | sed 's/name ([^)]*) must/name must/'; done
$DOCKER images --format '{{.Repository}}:{{.Tag}}' | grep $N | sort | low; $DOCKER rmi $N $N:B a/b/$N:c localhost/$N:b x.y:5000/$N:1 ${N}__b $N--b >/dev/null
