#!/bin/sh
# words of --tmpfs and of tmpfs-mode: which win, which are refused, and --tmpfs where --mount is, too
# tags: tmpfs,mount,words
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-v >/dev/null 2>&1' EXIT
try() {
	echo "== $*" | sed "s/$N/NAME/g"
	$DOCKER run --rm --network none "$@" $IMAGE sh -c 'grep " /sbx tmpfs" /proc/mounts | sed "s/,[ug]id=[0-9]*//g"; stat -c %a /sbx' 2>err
	echo "$?"
	head -n 1 err | sed 's/failed to create .*container init: //; s#"[^"]*tmpfs" to#"tmpfs" to#; s#stat [^ ]*tmpfs#stat tmpfs#'
}
for word in exec,noexec,suid noatime,nodiratime strictatime,rslave bind rbind,size=1m huge=never rw,,exec foo,bar=1; do
	try --tmpfs /sbx:$word
done
try --mount type=tmpfs,dst=/sbx,tmpfs-mode=17777
try --mount type=tmpfs,dst=/sbx,tmpfs-mode=0,tmpfs-size=0
try --mount type=tmpfs,dst=/sbx,tmpfs-mode=37777777777
try --mount type=tmpfs,dst=/sbx,tmpfs-mode=40000000000
try --mount type=tmpfs,dst=/sbx,tmpfs-mode=0o700
try --tmpfs /sbx:size=1m --mount type=volume,src=$N-v,dst=/sbx
try --tmpfs /sbx -v $N-v:/sbx
$DOCKER create --name $N --network none --mount type=tmpfs,dst=/a,tmpfs-mode=0 --mount type=tmpfs,dst=/b,tmpfs-mode=17777 \
	--mount type=tmpfs,dst=/c,tmpfs-size=0 --mount type=tmpfs,dst=/d,tmpfs-size=5 --mount type=tmpfs,dst=/e --tmpfs /e $IMAGE true >/dev/null
$DOCKER inspect -f '{{json .HostConfig.Mounts}} {{json .HostConfig.Tmpfs}}' $N
