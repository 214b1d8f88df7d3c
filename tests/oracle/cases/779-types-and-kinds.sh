#!/bin/sh
# what a template says of Go's types, and of members that only another kind of object has
# tags: inspect
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1; $DOCKER volume rm $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none --mount type=tmpfs,target=/t --ulimit nofile=5 --health-cmd x --cap-add ALL --gpus all --stop-timeout 3 $IMAGE true >/dev/null
$DOCKER volume create $N >/dev/null
show() { echo "# $1"; $DOCKER inspect --type "$1" -f "$2" "$3" 2>&1; }
for f in . .State .HostConfig .NetworkSettings .Mounts .GraphDriver .State.Health .HostConfig.Mounts .HostConfig.Ulimits .HostConfig.RestartPolicy .HostConfig.LogConfig .HostConfig.CapAdd .HostConfig.PidsLimit .HostConfig.DeviceRequests .NetworkSettings.Networks .NetworkSettings.Networks.none .Config.Healthcheck .Config.StopTimeout; do
	show container "$f {{printf \"%T\" $f}}" $N
done
for f in . .RootFS .GraphDriver; do show image "$f {{printf \"%T\" $f}}" $IMAGE; done
for f in . .IPAM .IPAM.Config .ConfigFrom; do show network "$f {{printf \"%T\" $f}}" none; done
show volume '{{printf "%T %T" . .UsageData}}' $N
show container '{{printf "%#v %#v %v %+v" .HostConfig.RestartPolicy .HostConfig.LogConfig .HostConfig.RestartPolicy .HostConfig.LogConfig}}' $N
show container '{{index . 1}}' $N
for f in .RepoTags .RootFS .IPAM .Scope .Options .SizeRw; do show container "{{json $f}}" $N; done
for f in .HostConfig .State.Running .Mounts .NetworkSettings .SizeRootFs .Scope; do show image "{{json $f}}" $IMAGE; done
for f in .HostConfig .State .Config .Mounts .RepoTags; do show network "{{json $f}}" none; done
for f in .HostConfig .State .Config .RepoTags .Status .UsageData; do show volume "{{json $f}}" $N; done
for f in '{{.' '{{ .' '{{$.' '{{$x := 1}}{{$x}}{{$y = 1}}' '{{truncate "abc" -1}}' '{{pad "x" -1 3}}'; do show container "$f" $N; done
