#!/bin/sh
# names that a container may have
# tags: options create
# weight: common
trap '$DOCKER rm -f $N $N-b_c.d $N-s >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in $N $N-b_c.d a $N/b $N:b .$N "$N b" /$N-s; do
  $DOCKER create --name "$v" --network none $IMAGE true >$TMP/o 2>$TMP/e; echo "$v rc=$?" | low; low <$TMP/o; low <$TMP/e
done; $DOCKER ps -a --filter name=$N --format '{{.Names}}' | low
