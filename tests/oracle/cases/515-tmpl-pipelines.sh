#!/bin/sh
# pipelines and parentheses
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{.State.Status | upper}}' \
  '{{.State.Status | printf "%s-%s" "a"}}' \
  '{{(printf "%s" .State.Status) | len}}' \
  '{{.Args | len | printf "%d!"}}' \
  '{{eq (len .Args) 2}}' \
  '{{and (eq 1 1) (eq .State.Status "created")}}' \
  '{{join (split "a b" " ") "+" | upper}}' \
  '{{.State.ExitCode | eq 0}}' \
  '{{json .State.Status | printf "%q"}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
