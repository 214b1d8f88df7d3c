#!/bin/sh
# a new volume is as the directory which it is made from: its own mode and time as well; nothing is mounted inside of /proc
# tags: volume,run
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm $N-a $N-b $N-c >/dev/null 2>&1; $DOCKER rmi $N >/dev/null 2>&1' EXIT
$DOCKER run --name $N --network none $IMAGE sh -c 'mkdir -p /data/a /data/b /data/c; echo f >/data/a/file; chmod 2750 /data/a; chmod 1777 /data/b; chmod 555 /data/c; touch -d 2001-01-01T00:00:00Z /data/a /data/b'
$DOCKER commit $N $N >/dev/null
$DOCKER rm $N >/dev/null
look='stat -c %a /data/a /data/b /data/c; stat -c %Y /data/b'
$DOCKER run --rm --network none $N sh -c "$look"
$DOCKER run --rm --network none -v $N-a:/data/a -v /data/b -v $N-c:/data/c $N sh -c "$look"
$DOCKER run --rm --network none -v $N-a:/a -v $N-c:/c $N stat -c %a /a /c
$DOCKER create --name $N --network none -v $N-b:/data/b $N true >/dev/null
$DOCKER run --rm --network none -v $N-b:/b $IMAGE stat -c '%a %Y' /b
for at in /proc /proc/none /proc/sys/kernel; do
	$DOCKER run --rm --network none -v $TMP:$at $IMAGE true 2>err; echo "$?"
	grep -o "rootfs at .*: unknown" err | sed 's#"/[^"]*merged#"#'
done
