#!/bin/sh
# fields of an image
# tags: template images inspect
# weight: common
for t in '{{.Architecture}}/{{.Os}}' \
  '{{.RootFS.Type}}' \
  '{{len .RootFS.Layers}}' \
  '{{.Author}}|{{.Comment}}' \
  '{{json .Config.Cmd}}' \
  '{{.Config.User}}|' \
  '{{.Config.WorkingDir}}|' \
  '{{json .Config.Env}}' \
  '{{json .Config.Entrypoint}}' \
  '{{json .Config.ExposedPorts}}' \
  '{{json .Config.Volumes}}' \
  '{{.Config.Nosuch}}' \
  '{{range .Config.Env}}x{{end}}' \
  '{{.ID}}' \
  '{{.Id}}' \
  '{{.nosuch}}' \
  '{{json .RepoDigests}}'; do
  echo "== $t"
  $DOCKER image inspect -f "$t" $IMAGE >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
