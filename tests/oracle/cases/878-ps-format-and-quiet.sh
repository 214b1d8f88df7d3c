#!/bin/sh
# psFormat of the client's configuration, with --quiet and beside --format: one that is broken fails either way
# tags: ps config templates
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
export DOCKER_CONFIG=$TMP/c; mkdir c
$DOCKER create --name ${N}a --network none $IMAGE true >/dev/null
list() { $DOCKER ps -a --filter name=${N}a "$@" 2>&1 | sed "s/${N}a/NAME/g; s/[0-9a-f]\{12\}/ID/g"; }
for format in '{{' '{{.Nope}}' 'table {{.Nope}}' '{{.Names}}' 'table {{.Names}}' 'table' 'raw' ''; do
	echo "[$format]"; printf '{"psFormat":"%s"}' "$format" >c/config.json
	list -q; list -q --format '{{.Names}}'; list -q --format '{{'; list --format '{{.Names}}'
done
