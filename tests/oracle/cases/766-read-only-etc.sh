#!/bin/sh
# --read-only: the files of the network in /etc are read-only as well, what is mounted over them as it was asked for
# tags: run,exec
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
write='for f in /etc/hosts /etc/hostname /etc/resolv.conf /dev/shm/x /x; do echo "127.0.0.9 own" 2>/dev/null >>$f && echo "$f written"; done'
echo "1.1.1.1 mine" >hosts
echo "# rw"; $DOCKER run --rm --network none $IMAGE sh -c "$write" 2>/dev/null
echo "# ro"; $DOCKER run --rm --network none --read-only $IMAGE sh -c "$write" 2>/dev/null
echo "# ro, hosts from outside"; $DOCKER run --rm --network none --read-only -v $TMP/hosts:/etc/hosts $IMAGE sh -c "$write" 2>/dev/null
wc -l <hosts
echo "# ro, hosts from outside, ro"; $DOCKER run --rm --network none --read-only -v $TMP/hosts:/etc/hosts:ro $IMAGE sh -c "$write; cat /etc/hosts" 2>/dev/null
echo "# rw, hosts from outside, ro"; $DOCKER run --rm --network none -v $TMP/hosts:/etc/hosts:ro $IMAGE sh -c "$write" 2>/dev/null
echo "# host"; $DOCKER run --rm --network host --read-only --add-host a:1.2.3.4 $IMAGE sh -c "$write; grep -c 1.2.3.4 /etc/hosts" 2>/dev/null
echo "# exec"; $DOCKER run -d --name $N --network none --read-only $IMAGE sleep 100 >/dev/null
$DOCKER exec $N sh -c "$write" 2>/dev/null
