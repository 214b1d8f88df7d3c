#!/bin/sh
# options of images, alone and together
# tags: images
# weight: common
trap '$DOCKER rmi $N:t >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER tag $IMAGE $N:t
for o in -q '-q --no-trunc' --digests -a --no-trunc '--digests -q' '-f dangling=false' '-f dangling=true' '-f dangling=maybe' -f\ before=no$N -f\ since=no$N '-f label=x' '-f nosuch=1' '-f a' '-f label' "-f reference=$N"; do echo "== $o" | low; $DOCKER images $o $N 2>&1 | low | sed 's/[0-9.]*[kMG]B/SIZE/; s/ID .* ago/ID AGO/; s/  */ /g; s/\(no such image: [^ ]*\):.*/\1/'; done
