#!/bin/sh
# --group-add where a group's name is digits; and one that is not there
# tags: user ids
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N >/dev/null 2>&1' EXIT
printf 'root:x:0:0:root:/root:/bin/sh\n77:x:234:235::/named:/bin/sh\nnum:x:77:78::/num:/bin/sh\n' >passwd
printf 'root:x:0:\n77:x:321:\ngnum:x:77:\n' >group
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER cp passwd $N:/etc/passwd >/dev/null 2>&1
$DOCKER cp group $N:/etc/group >/dev/null 2>&1
$DOCKER commit $N $N >/dev/null
for words in '--group-add 77' '--group-add 078' '--group-add 321' '-u 77 --group-add 77' '-u 1:2 --group-add 77' \
	'--group-add none' '--group-add -1'; do
	echo "== $words"
	$DOCKER run --rm --network none $words $N sh -c 'echo $(grep ^Groups: /proc/self/status); echo $HOME' 2>&1 | sed -n 's/.*\(.nable to find\|uids and gids\)/\1/p; /^Groups/p; /^\//p'
done
