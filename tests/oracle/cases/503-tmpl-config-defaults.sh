#!/bin/sh
# what Config says when nothing was asked for
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for t in '{{json .Config.Domainname}}' \
  '{{json .Config.User}}' \
  '{{json .Config.AttachStdin}}' \
  '{{json .Config.AttachStdout}}' \
  '{{json .Config.AttachStderr}}' \
  '{{json .Config.ExposedPorts}}' \
  '{{json .Config.Tty}}' \
  '{{json .Config.OpenStdin}}' \
  '{{json .Config.StdinOnce}}' \
  '{{json .Config.Env}}' \
  '{{json .Config.Cmd}}' \
  '{{json .Config.Image}}' \
  '{{json .Config.Volumes}}' \
  '{{json .Config.WorkingDir}}' \
  '{{json .Config.Entrypoint}}' \
  '{{json .Config.OnBuild}}' \
  '{{json .Config.Labels}}' \
  '{{json .Config.StopSignal}}' \
  '{{json .Config.StopTimeout}}' \
  '{{json .Config.Shell}}' \
  '{{json .Config.Healthcheck}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
