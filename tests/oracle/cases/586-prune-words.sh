#!/bin/sh
# prune: filters that are none, and no as an answer
# tags: prune error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for c in container image volume network system; do for f in x nosuch=1; do $DOCKER $c prune -f --filter $f >$TMP/o 2>$TMP/e; echo "$c $f rc=$?"; low <$TMP/e; done; done
$DOCKER container prune -f --filter until=abc 2>&1 | low; echo n | $DOCKER container prune; echo " rc=$?"; $DOCKER network prune </dev/null; echo " rc=$?"
