#!/bin/sh
# the expressions of --filter name= are Go's; a broken one is none, and equals only what is spelled so
# tags: ps volume network filter
# weight: rare
trap '$DOCKER rm -f ${N}a1 ${N}b_2 >/dev/null 2>&1; $DOCKER volume rm -f ${N}v1 >/dev/null 2>&1; $DOCKER network rm "[${N}" >/dev/null 2>&1' EXIT
$DOCKER create --name ${N}a1 --network none $IMAGE true >/dev/null
$DOCKER create --name ${N}b_2 --network none $IMAGE true >/dev/null
$DOCKER volume create ${N}v1 >/dev/null
U=$(echo "$N" | tr a-z A-Z)
while IFS= read -r f; do
	f=$(printf %s "$f" | sed "s/@/$N/g; s/%/$U/g")
	c=$($DOCKER ps -a --format '{{.Names}}' --filter "name=$f" | grep "$N" | sort | tr '\n' ' ')
	v=$($DOCKER volume ls -q --filter "name=$f" | grep "$N" | tr '\n' ' ')
	n=$($DOCKER network ls --format '{{.Name}}' --filter "name=$f" | grep -E '^(none|host)$' | sort | tr '\n' ' ')
	printf "%s: %s| %s| %s\n" "$f" "$c" "$v" "$n" | sed "s/$N/@/g; s/$U/%/g"
done <<'LIST'
(?i)%
%
(?i:%)A
(?-i)@a
@\w\d$
^@\D+\d$
\b@
@\b
\B1$
^\/@a
^@[[:alpha:]]\d
^@[[:^alpha:]]
@b[[:word:]]+?2
@\S_
@a{1}1
@a{,1}
@(a|b)+?
@(?:a|v)1\z
\A@
\Q@\Ea1
@a\x31
@\p
[z-a]
(
@a1)
*@
@a1**
@++
@a1{1001}
@(?=a)
(@)\1
\<@
@a1\>
@a1\'
@a1\$
@b\_2
@b\.2
a{2,1}
(?s).
(?x)@
^(no|ho)[ns][et]$
(?i)^HOST$
^\w{4}$
LIST
