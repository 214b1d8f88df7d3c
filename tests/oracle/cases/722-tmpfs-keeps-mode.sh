#!/bin/sh
# a tmpfs has the mode of the directory it covers; read-only, it still has what is mounted in it
# tags: mounts tmpfs run
# weight: rare
mkdir dir; echo in >dir/f
$DOCKER run --rm --network none --tmpfs /root --tmpfs /tmp --mount type=tmpfs,dst=/var/tmp --tmpfs /new $IMAGE \
	stat -c '%a %n' /root /tmp /var/tmp /new
$DOCKER run --rm --network none --tmpfs /t:ro -v $TMP/dir:/t/d $IMAGE sh -c 'cat /t/d/f; touch /t/x || echo closed'
