#!/bin/sh
# -v and --mount: words that docker's client or its daemon refuses, and words that inspect keeps.
# tags: volume,mount,words
# weight: rare
show() {
	id=$($DOCKER create --network none "$@" $IMAGE true 2>"$TMP/said") || { grep -v ^WARNING "$TMP/said" | head -n 1; return; }
	$DOCKER inspect -f '{{json .HostConfig.Mounts}}' "$id"
	$DOCKER rm "$id" >/dev/null
}

for word in /path:rw /path:ro /rw:rw path:ro /path:shared /path:slave,z name:rprivate; do
	show -v "$word"
done
for word in bind-recursive=writable bind-recursive=readonly bind-recursive=readonly,readonly bind-recursive=x \
	consistency=Cached consistency= bind-recursive=enabled,readonly; do
	show --mount "type=bind,source=/usr,target=/t,$word"
done
show --mount type=volume,target=/t,image-subpath=x
show --mount type=tmpfs,target=/t,image-subpath=x
