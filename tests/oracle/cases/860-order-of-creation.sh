#!/bin/sh
# of two mistakes in one create, the one that docker tells
# tags: create,errors
# weight: rare
trap '$DOCKER rm -f $N-taken >/dev/null 2>&1' EXIT
$DOCKER create --name $N-taken --network none $IMAGE true >/dev/null
one() {
	$DOCKER create --pull never --network none "$@" 2>&1 |
		sed -E "s/[0-9a-f]{64}/ID/g; s/$N/N/g; s/No command/no command/; s/^(Error response from daemon: )[Rr]ange/\1range/; s/(get|from) .* CPUs/CPUS/; s/available: .*/available/"
}
each() {
	echo "== $*" | sed "s|$N|N|g"
	one "$@" nosuch$N true
	one "$@" $IMAGE
	one --name % "$@" $IMAGE true
	one --name $N-taken "$@" $IMAGE true
}
each --log-opt ''
each --log-opt x=y
each --log-driver nosuch
each --volumes-from ''
each --volumes-from nosuch
each --volumes-from $N-taken:zz
each -v $N:/
each -v /x:/a:zz
each -v /a:/b -v /c:/b
each -v a/b:/c
each --mount dst=/
each --mount type=bind,src=/nosuch/x,dst=/x
each --mount type=volume,src=a/b,dst=/x
each --mount dst=/x --mount dst=/x
each --tmpfs ''
each --link nosuch
each --ip zz
each --security-opt x=y
each --storage-opt x=y
each --cpus 1000
each --cpuset-cpus 8000
each -m 1m
each -w x
each -h -x
each --stop-signal zz
