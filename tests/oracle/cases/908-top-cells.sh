#!/bin/sh
# how the cells of top look: times, moments, users and groups
# tags: top
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
top() { echo "$* => $($DOCKER top $N "$@" 2>&1 | tail -1 | tr -s ' ' | sed 's/[1-9]/0/g; s/ [0-9]*$//')"; }
for keys in time cputime start stime start_time etime; do
	top -o $keys,pid
	top axo $keys,pid
done
top ax -o cputime,start,pid
for keys in user,uid,euid,euser,ruid,ruser group,gid,egid,egroup,rgid,rgroup; do
	$DOCKER top $N -o $keys,pid | tail -1 | awk '{ $NF = ""; print }'
done
$DOCKER top $N -C nope -o pid,comm 2>&1
