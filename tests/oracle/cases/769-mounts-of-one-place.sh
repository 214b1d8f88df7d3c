#!/bin/sh
# one place asked for in two ways: --mount of a volume beside -v, --tmpfs spelled in two ways
# tags: volume,tmpfs,inspect
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
show() {
	echo "# $*" | sed "s/$N/NAME/"
	$DOCKER create --name $N --network none "$@" $IMAGE true 2>&1 >/dev/null | head -n 1
	$DOCKER inspect -f '{{json .HostConfig.Mounts}} {{json .HostConfig.Binds}} {{json .HostConfig.Tmpfs}} {{json .Config.Volumes}}
{{range .Mounts}}{{.Type}} {{.Name}} {{.Destination}} {{json .Mode}} {{.RW}}{{println}}{{end}}' $N 2>/dev/null | sed -E "s/$N/NAME/g; s/[0-9a-f]{64}/ID/" | sort
	$DOCKER start $N >/dev/null 2>&1 && echo started
	$DOCKER rm -fv $N >/dev/null 2>&1
}
show --mount type=volume,dst=/a -v /a -v /b
show --mount type=volume,dst=/a/ -v /a
show --mount type=volume,src=$N-v,dst=/a -v /a
show --mount type=tmpfs,dst=/a -v /a
show --tmpfs /a -v /a
show --tmpfs /a --tmpfs /a/
show --tmpfs /a// --tmpfs /b/../a --tmpfs /c:size=1m --tmpfs /c:size=2m
show --tmpfs /a -v /:/a
show --tmpfs /a/ -v /:/a
show --tmpfs /a/ --tmpfs /a -v /a
show --tmpfs /a/ --mount type=tmpfs,dst=/a
