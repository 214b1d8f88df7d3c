#!/bin/sh
# options of the log's copy that any driver may be told; systempaths with a colon; backslashes in targets that are refused
# tags: create logs mounts
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
make() { $DOCKER create --name ${N}a --network none "$@" $IMAGE echo hi 2>e >o; echo "$* rc=$?" | sed "s|$TMP|TMP|g"; cat e; }
for opt in cache-disabled=true cache-disabled=x cache-disabled cache-max-size=1 cache-max-file=q cache-compress=1 cache-foo=1; do
	for driver in json-file local none; do
		make --log-driver $driver --log-opt $opt
		[ -s o ] && $DOCKER inspect -f '{{json .HostConfig.LogConfig}}' ${N}a && $DOCKER start -a ${N}a
		$DOCKER rm ${N}a >/dev/null 2>&1
	done
done
make --security-opt systempaths:unconfined
for at in 'x\' 'a\b'; do
	for how in --tmpfs=$at "--mount=type=bind,src=$TMP,dst=$at" "--mount=type=bind,dst=/a,src=$at" "--mount=type=volume,dst=$at"; do
		make "$how"; $DOCKER rm -v ${N}a >/dev/null 2>&1 || :
	done
done
