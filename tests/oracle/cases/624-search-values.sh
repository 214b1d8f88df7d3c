#!/bin/sh
# what search refuses before it asks anybody
# tags: search
# weight: rare
s() {
	echo "== $*"
	$DOCKER search "$@" 2>&1 | grep -v '^$\|^Usage\|^Run '
}
s --limit 200 x
s --limit 101 x
s --limit abc x
s --limit '' x
s --filter foo=bar x
s --filter foo=bar --limit 200 x
s --filter stars=x y
s --filter stars= y
s --filter is-official=maybe y
s --filter is-automated=maybe y
s --filter foo x
s x y
s
s https://x/y
s --nosuch x
