#!/bin/sh
# the groups of commands, without and with wrong words
# tags: cli error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for g in container image volume network system; do for w in --nosuch -Z nosuch "nosuch more" --nosuch=1; do $DOCKER $g $w >$TMP/o 2>$TMP/e; echo "$g $w rc=$?"; wc -c <$TMP/o; cat $TMP/e; done; $DOCKER $g >$TMP/o 2>$TMP/e; echo "rc=$? $(wc -c <$TMP/o)"; head -1 $TMP/e; done
$DOCKER nosuch 2>&1; echo $?; $DOCKER -Z 2>&1 | head -1; $DOCKER --nosuch 2>&1 | head -1; $DOCKER -l foo ps; echo $?; $DOCKER --debug=x ps 2>&1 | head -1; $DOCKER help nosuch; echo $?
