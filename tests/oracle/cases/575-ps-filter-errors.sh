#!/bin/sh
# filters of ps that are none
# tags: ps filter error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for f in x status=nosuch status= exited=x health=foo is-task=x before=no$N since=no$N publish=x nosuch=1 =x status; do $DOCKER ps -a -q --filter "$f" --filter name=$N >$TMP/o 2>$TMP/e; echo "$f rc=$?" | low; low <$TMP/e | sed s/nrecogni[sz]ed/nrecognized/; done
