#!/bin/sh
# what docker puts into every container is in its export, where the image has none of it
# tags: export
# weight: common
trap '$DOCKER rm -f "$N-c" >"$TMP/gone" 2>&1; $DOCKER rmi -f "$N-i" >"$TMP/gone" 2>&1' EXIT
mkdir root
echo x >root/file
tar -C root -cf - . | $DOCKER import - "$N-i" >"$TMP/id"
$DOCKER create --name "$N-c" --network none "$N-i" /file >"$TMP/id"
$DOCKER export "$N-c" | tar -tvf - | awk '{ print $1, $3, $6, $7, $8 }' | grep -v ' \./$' | sed 's| \./| |' | sort
