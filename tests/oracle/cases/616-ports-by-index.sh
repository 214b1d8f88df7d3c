#!/bin/sh
# index of maps whose keys are ports; what mode an anonymous volume has; a pull that is asked for
# tags: inspect, format
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
$DOCKER create --network none --name $N -p 80:80 -p 127.0.0.1:53:53/udp --expose 81 -v /aa -v $N-v:/bb -v $N-v:/cc:ro \
	--mount type=volume,dst=/dd $IMAGE true >/dev/null
for f in '{{index .NetworkSettings.Ports "80/tcp"}}' '{{index .HostConfig.PortBindings "80/tcp"}}' \
	'{{(index (index .HostConfig.PortBindings "53/udp") 0).HostPort}}' '{{index .HostConfig.PortBindings "80/tcp" 0}}' \
	'{{index .HostConfig.PortBindings "81/tcp" 0}}' '{{index .Config.ExposedPorts "80/tcp"}}|{{index .Config.ExposedPorts "99/tcp"}}' \
	'{{range $p, $c := .HostConfig.PortBindings}}{{$p}} {{(index $c 0).HostPort}};{{end}}' '{{.Config.ExposedPorts}}' \
	'{{index .Config.Volumes "/aa"}}' '{{if index .NetworkSettings.Ports "80/tcp"}}y{{else}}n{{end}}' \
	'{{json (index .HostConfig.PortBindings "80/tcp")}}' '{{index .HostConfig.PortBindings 1}}' '{{index .Mounts 4}}' \
	'{{index .Mounts 5}}'; do
	$DOCKER inspect -f "$f" $N 2>&1
done
$DOCKER inspect -f '{{range .Mounts}}{{.Destination}} [{{.Mode}}] {{.RW}}|{{end}}' $N | tr '|' '\n' | sort
$DOCKER create --pull always $N-none 2>&1 | sed "s/$N/NAME/g; s/daemon: .*/daemon: .../"
