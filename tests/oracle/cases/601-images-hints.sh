#!/bin/sh
# `docker images WORD` where the word is a command's
# tags: images
# weight: rare
for w in ls list rm prune pull push tag save load import inspect history build run nosuch LS; do
	echo "$w: $($DOCKER images -q $w 2>&1)"
done
$DOCKER images --format x ls 2>&1
