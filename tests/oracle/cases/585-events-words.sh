#!/bin/sh
# events: times and filters that are none
# tags: events error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for o in '--since x' '--until nosuch' '--filter x' '--filter nosuch=1 --since 1 --until 2' '--since 10 --until 11 --format {{.Nosuch}}' '--since 10 --until 11 --format {{'; do timeout 90 $DOCKER events $o >$TMP/o 2>$TMP/e; echo "$o rc=$?"; low <$TMP/e | head -1; done
