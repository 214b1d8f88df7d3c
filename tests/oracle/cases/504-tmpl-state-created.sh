#!/bin/sh
# what State says of a container that was never started
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{json .State.Status}}' \
  '{{json .State.Running}}' \
  '{{json .State.Paused}}' \
  '{{json .State.Restarting}}' \
  '{{json .State.OOMKilled}}' \
  '{{json .State.Dead}}' \
  '{{json .State.Pid}}' \
  '{{json .State.ExitCode}}' \
  '{{json .State.Error}}' \
  '{{json .State.StartedAt}}' \
  '{{json .State.FinishedAt}}' \
  '{{.RestartCount}}' \
  '{{.Platform}}' \
  '{{.ExecIDs}}' \
  '{{len .Mounts}}' \
  '{{.NetworkSettings.IPAddress}}|' \
  '{{json .NetworkSettings.Ports}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
