#!/bin/sh
# Of two things that are wrong in a command line the one is told that docker's client looks at first; a driver of volumes
# matters where there is a volume.
# tags: create,errors,options
# weight: rare
trap '$DOCKER rm -fv $N-a >/dev/null 2>&1' EXIT
first() {
	$DOCKER create --name $N-a "$@" $IMAGE true >/dev/null 2>"$TMP/said"
	echo "$?"
	head -n 1 "$TMP/said"
	$DOCKER rm -fv $N-a >/dev/null 2>&1
}

first --memory-swappiness 101 --label-file /nope
first --memory-swappiness 101 --uts x
first --no-healthcheck --health-retries -1
first --health-start-period -1s --health-retries -1
first --pull x --uts x
first --pull x --memory-swappiness 101
first --expose x --label-file /nope
first -p a:b --env-file /nope
first --env-file /nope --uts x
first --uts x --restart foo
first --log-driver none --log-opt a=b --security-opt foo
first --security-opt foo --storage-opt size
first --storage-opt size --health-interval -1s
first --rm --restart always --health-interval -1s
first --restart always --rm --network a --network a
first --device /nope:/x:y --label-file /nope
first --volume-driver nope --health-interval -1s
first --volume-driver nope
first --volume-driver nope -v /:/x
