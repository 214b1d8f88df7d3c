#!/bin/sh
# sizes are added up where the template shows them, unless --size=false or --quiet says otherwise
# tags: ps, format
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
$DOCKER run --network none --name ${N}a "$IMAGE" sh -c 'head -c 3000000 /dev/zero >/a; ln -s aa /b' >/dev/null
ps() { $DOCKER ps -a --filter "name=^${N}a$" "$@" 2>&1 | grep -o '"Size":"[^ ]*\|^[0-9.]*M*B\|virtual\|WARN.*'; }
for f in json '{{json .}}' '{{.Size}}' '{{.Size}}|{{json .}}'; do
	echo "== $f"
	ps --format "$f"
	ps --format "$f" --size=false
	ps --format "$f" --size
	ps --format "$f" --quiet
done
