#!/bin/sh
# what templates say of events and of wished mounts: Go's types, and members that were not asked for
# tags: events,inspect,stats
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none --mount type=bind,source=/etc,target=/e,readonly,bind-propagation=rprivate \
	--mount type=volume,source=$N-v,target=/v,volume-nocopy $IMAGE true >/dev/null
$DOCKER inspect -f '{{with index .HostConfig.Mounts 0}}{{.Consistency}}|{{.BindOptions.NonRecursive}}|{{.BindOptions.CreateMountpoint}}{{end}}' $N
$DOCKER inspect -f '{{with index .HostConfig.Mounts 1}}{{.VolumeOptions.NoCopy}}|{{.VolumeOptions.Labels}}|{{.VolumeOptions.DriverConfig.Name}}|{{.VolumeOptions.Subpath}}{{end}}' $N
events() { $DOCKER events --since 1h --until "$(date +%s.%N)" --filter type=container --filter container=$N --filter event=create --format "$1" 2>&1; echo "$?"; }
events '{{printf "%T %T %T %T %T %T %T %T %T" .Type .Action .Actor .Time .TimeNano .ID .Actor.Attributes .Scope .}}'
events '{{if eq .Type "container"}}{{.Action | printf "%q"}}{{end}}'
events '{{.Nosuch}}'
events '{{.Actor.Nosuch}}'
events '{{.Type.Nosuch}}'
$DOCKER stats --no-stream --format '{{' $N-none 2>&1 | sed "s/$N/NAME/"
$DOCKER stats --no-stream --format '{{' 2>&1 | head -n 1
$DOCKER kill . ..
