#!/bin/sh
# -u in all its forms
# tags: run user
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for u in '' : 1: :1 daemon:sys daemon 1:daemon 4294967294 1000:1000; do $DOCKER run --rm --network none -u "$u" $IMAGE sh -c 'id -u; id -g' 2>&1 | tr '\n' ' '; echo "[$u]"; done
