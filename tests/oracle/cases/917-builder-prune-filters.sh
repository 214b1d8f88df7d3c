#!/bin/sh
# builder prune: labels are filters of it, too, and others have one value
# tags: builder prune filter
# weight: rare
try() {
	echo "== $*"
	$DOCKER builder prune -f "$@" 2>&1 | grep -o -e 'Total.*' -e 'failed to prune.*' | sed 's/Invalid filter/invalid filter/'
}
try --filter label=x
try --filter label!=x --filter label=y --filter label=z
try --filter id=a
try --filter id=a --filter id=b
try --filter type=a --filter type=a
try --filter private=1 --filter inuse=1 --filter shared=1
try --filter mutable=1
try --filter until=1h --filter until=1h
