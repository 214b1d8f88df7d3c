#!/bin/sh
# the filters that config.json has for prune: beside those of the command, and not against them
# tags: cli
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f ${N}a ${N}b ${N}c' EXIT
mkdir conf
for filters in '["label!=keep"]' '["label!=keep","label=more"]' "[\"label!=$N\"]" '["bad"]' '["nosuch=1"]'; do
	echo "{\"pruneFilters\":$filters}" >conf/config.json
	echo "# $filters" | sed "s/$N/N/"
	$DOCKER create --name ${N}a --label $N $IMAGE true >/dev/null
	$DOCKER create --name ${N}b --label $N --label keep $IMAGE true >/dev/null
	$DOCKER create --name ${N}c --label $N --label more $IMAGE true >/dev/null
	echo n | $DOCKER --config conf system prune --filter label=$N 2>&1 | sed -n "/filtered/,\$s/$N/N/p"
	$DOCKER --config conf container prune -f --filter label=$N >/dev/null 2>&1; echo "$?"
	$DOCKER ps -a --filter label=$N --format '{{.Names}}' | sed "s/$N/N/"
	$DOCKER rm ${N}a ${N}b ${N}c >/dev/null 2>&1
done
