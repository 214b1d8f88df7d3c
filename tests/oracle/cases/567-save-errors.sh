#!/bin/sh
# save and load of what is not there
# tags: save load error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for a in "nosuch$N" "$N:x" "-o $TMP/no/x $IMAGE" "-o $TMP $IMAGE"; do $DOCKER save $a 2>$TMP/e | wc -c; low <$TMP/e; done
$DOCKER load -i $TMP/nosuch 2>&1 | low; $DOCKER load -i $TMP >/dev/null 2>&1; echo $?; echo x >$TMP/g; $DOCKER load -i $TMP/g >/dev/null 2>&1; echo $?; ls $TMP | grep -v -x -e e -e g
