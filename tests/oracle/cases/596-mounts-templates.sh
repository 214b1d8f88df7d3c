#!/bin/sh
# templates over Mounts know docker's fields also where a mount has none of them; a word of -v twice; labels of --mount
# tags: inspect volume
# weight: rare
trap '$DOCKER rm -fv $N ${N}l >/dev/null 2>&1; $DOCKER volume rm -f ${N}v ${N}w >/dev/null 2>&1' EXIT
mkdir h
$DOCKER create --name $N --network none -v "$TMP/h:/m:ro" -v "$TMP/h:/m:ro" -v ${N}v:/v \
  --mount type=bind,src="$TMP/h",dst=/b --mount type=tmpfs,dst=/t $IMAGE true >/dev/null || exit 1
show() { $DOCKER inspect -f "$1" $N | sed "s/$N/N/g; s,$TMP,TMP,g" | sort; }
show '{{range .Mounts}}{{.Type}}|{{.Name}}|{{.Driver}}|{{.Destination}}|{{.Mode}}|{{.RW}}|{{.Propagation}}{{println}}{{end}}'
show '{{range .Mounts}}{{if eq .Type "bind"}}{{.Source}} {{.Destination}} [{{.Name}}]{{println}}{{end}}{{end}}'
show '{{range .Mounts}}{{if .Name}}{{.Name}}{{end}}{{end}}'
show '{{range .Mounts}}{{with .Driver}}{{.}}{{else}}none{{end}}{{println}}{{end}}'
show '{{range .HostConfig.Mounts}}{{.Type}} {{.ReadOnly}} {{.Target}} {{.Consistency}}{{if .BindOptions}}options{{end}};{{end}}'
$DOCKER inspect -f '{{range .Mounts}}{{.Nope}}{{end}}' $N 2>&1 | grep -o "can't evaluate field Nope\|no entry for key \"Nope\"" | head -1
$DOCKER run --rm --name ${N}l --network none --mount type=volume,src=${N}w,dst=/w,volume-label=a=b,volume-label=c $IMAGE true
$DOCKER volume inspect -f '{{json .Labels}}' ${N}w
$DOCKER create --name ${N}l --network none --mount type=volume,src=${N}w,dst=/w,volume-label=x=y $IMAGE true >/dev/null
$DOCKER inspect -f '{{json (index .HostConfig.Mounts 0).VolumeOptions}}' ${N}l
$DOCKER volume inspect -f '{{json .Labels}}' ${N}w
$DOCKER images --format 'table {{.VirtualSize}}' no-such-image-at-all
$DOCKER tag $IMAGE x@sha256:0000000000000000000000000000000000000000000000000000000000000000 2>&1
echo $?
$DOCKER pull --platform x $IMAGE >out 2>err
echo "$? $(cat err)"
$DOCKER run --rm --network none -u 1:2:3 $IMAGE id -g
