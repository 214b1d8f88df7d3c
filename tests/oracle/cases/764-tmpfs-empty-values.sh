#!/bin/sh
# --tmpfs: words without their value, and what the kernel's refusal of one is told with
# tags: tmpfs,run
# weight: rare
for word in size=1q size= mode= '' size=1m mode=700 size=1m,mode=; do
	echo "# $word"
	$DOCKER run --rm --network none --tmpfs "/sbx:$word" $IMAGE stat -c %a /sbx 2>err; echo "$?"
	grep -o 'data: .*: unknown' err
done
