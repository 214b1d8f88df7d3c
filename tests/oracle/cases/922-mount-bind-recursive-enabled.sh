#!/bin/sh
# --mount: bind-recursive=enabled, which asks for nothing, with every type
# tags: create mount
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for m in type=volume,dst=/v,bind-recursive=enabled type=tmpfs,dst=/v,bind-recursive=enabled,tmpfs-size=1m bind-recursive=enabled,dst=/v \
  type=volume,dst=/v,bind-recursive=disabled type=tmpfs,dst=/v,bind-recursive=writable type=volume,dst=/v,bind-recursive=enabled,bind-propagation=rslave \
  type=volume,dst=/v,bind-recursive=Enabled type=bind,src=/tmp,dst=/v,bind-recursive=enabled,volume-nocopy type=tmpfs,dst=/v,bind-recursive; do
  $DOCKER create --name $N --network none --mount $m $IMAGE true >$TMP/o 2>$TMP/e; echo "$m $?"
  head -n 1 $TMP/e
  $DOCKER container inspect -f '{{range .HostConfig.Mounts}}{{.Type}} {{json .BindOptions}} {{json .VolumeOptions}} {{json .TmpfsOptions}}{{end}}' $N 2>/dev/null
  $DOCKER rm -fv $N >/dev/null 2>&1
done
