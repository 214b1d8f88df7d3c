#!/bin/sh
# filters of network ls
# tags: network filter
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for f in name=none driver=host driver=null type=builtin scope=local scope=x id=nosuch label=a; do echo "== $f"; $DOCKER network ls -f $f --format '{{.Name}} {{.Driver}}' 2>&1 | grep -e none -e host -e daemon | low; done
for f in type=x nosuch=1 x; do $DOCKER network ls -f $f >$TMP/o 2>$TMP/e; echo "rc=$?"; low <$TMP/e; done
$DOCKER network ls --no-trunc -q -f name=host | wc -c; $DOCKER network rm none 2>&1 | low; $DOCKER network rm no$N 2>&1 | low; $DOCKER network inspect no$N 2>&1 | low; $DOCKER network inspect none no$N -f '{{.Name}}' 2>&1 | low
