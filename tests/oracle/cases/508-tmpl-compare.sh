#!/bin/sh
# eq ne lt le gt ge
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{eq 1 1}} {{ne 1 2}} {{lt 1 2}} {{gt "b" "a"}} {{le 1 1}} {{ge 1 2}}' \
  '{{eq .State.ExitCode 0}}' \
  '{{eq .Name "x"}}' \
  '{{eq 1 2 3 1}}' \
  '{{eq 1 "a"}}' \
  '{{eq}}' \
  '{{lt .HostConfig.ShmSize 5}}' \
  '{{eq .State.Running false}}' \
  '{{ne .State.Status "running"}}' \
  '{{lt "a"}}' \
  '{{eq .Args .Args}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
