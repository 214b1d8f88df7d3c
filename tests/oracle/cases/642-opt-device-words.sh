#!/bin/sh
# --device: which words are one, and what inspect keeps of them.
# tags: device,words
# weight: rare
for word in '' ./ ../ /:../ /:path : /tmp: :test :/test tmp: :test: :: ::: /tmp::: path:ro a:/b:ro a:/b:rr \
	/dev/null /dev/null:rw /dev/null:/dev/x /dev/null:/dev/x:rw /dev/./null/ relative:/dev/x 'host:/with space:r' \
	vendor.com/class=name; do
	id=$($DOCKER create --device "$word" "$IMAGE" true 2>"$TMP/said") || head -n 1 "$TMP/said"
	[ -n "$id" ] || continue
	$DOCKER inspect -f '{{json .HostConfig.Devices}} {{json .HostConfig.DeviceRequests}}' "$id"
	$DOCKER rm "$id" >/dev/null
done
$DOCKER run --rm --network none --device relative:/dev/x "$IMAGE" true 2>&1 | head -n 1
$DOCKER run --rm --network none --device vendor.com/class=name "$IMAGE" true 2>&1 | head -n 1
