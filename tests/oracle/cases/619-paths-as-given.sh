#!/bin/sh
# inspect keeps the paths of -v, --mount and --tmpfs as they were given, and mounts what they mean
# tags: create,volumes,inspect
# weight: rare
mkdir -p src
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1; $DOCKER volume rm -f ${N}v >/dev/null 2>&1' EXIT
show() {
	$DOCKER rm -f ${N}a >/dev/null 2>&1
	$DOCKER create --name ${N}a "$@" "$IMAGE" true 2>&1 | grep -v '^[0-9a-f]*$' | sed "s,$TMP,TMP,g"
	$DOCKER inspect -f '{{json .HostConfig.Binds}} {{json .HostConfig.Mounts}} {{json .HostConfig.Tmpfs}}
{{range .Mounts}}{{.Type}} {{if eq .Type "bind"}}{{.Source}}{{end}} {{.Destination}} {{.Mode}}{{end}}' ${N}a 2>&1 |
		sed "s,$TMP,TMP,g; s,$N,NAME,g"
}
show -v "$TMP/x/.././src:/x/../y//z/"
show -v "$TMP//src/:/a:ro"
show -v ./src/../src:/y
show -v ${N}v:/d/../e
show --mount "type=bind,src=$TMP/./src,dst=/x/../y//z/"
show --mount "type=volume,src=${N}v,dst=/x/./y/"
show --tmpfs /t/../u:size=1m
show --mount type=tmpfs,dst=/a/../b
show -v "$TMP/src:/a/.."
show -v "$TMP/src:/a" -v "$TMP/src:/b/../a"
show -v "$TMP/src:/a" --mount type=tmpfs,dst=/b/../a
