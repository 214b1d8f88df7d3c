#!/bin/sh
# what the machine's ps makes of its rarer options, and what docker makes of what it prints
# tags: top
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none $IMAGE sleep 1000 >/dev/null
top() { echo "$* => $($DOCKER top $N "$@" 2>&1 | head -1 | tr -s ' ')"; }
for a in -eF -el -elf -ely axj axl axs axv -ej -eL -eLf -eT -ec -eP -H -l u x h '' '  -ef' -y -o o -eo \
	--no-headers --forest --nope -nope "-eo pid,comm"; do top "$a"; done
top -eo pid= -o comm=
top -eo comm
top -eo pid,nope
top -o pid=PID,comm
top -o pid,comm=PID
top -eo comm=PID,pid
top -eo pid -o comm=PID
top -A -o pid=A,comm=B
top -A -o 'pid,comm=MY NAME'
top -A -o pid:x
top -C nope -o pid,comm
top -e --sort=nope -o pid,comm
for f in psr cls policy rtprio wchan sz pss lwp nlwp tpgid egid rgid fgid suid ruser egroup flags ignored blocked \
	caught pending sig majflt minflt times cputimes cgroup unit ns pidns; do top -eo pid,$f; done
$DOCKER top $N -eo pid,ppid,args --sort=-pid | tail -1 | awk '{ print $3, $4 }'
$DOCKER top $N -p 1 -o pid,comm | wc -l
$DOCKER top $N axm -o pid,comm | awk 'NR == 3 { print $1, $2 }'
$DOCKER top $N -eo pid,ruid,euid,user,ruser,uid | awk 'NR == 2 { $1 = ""; print }'
