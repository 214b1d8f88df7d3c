#!/bin/sh
# what create does in a container's files: the working directory, volumes that begin with the image's files
# tags: create,volume,workdir
# weight: core
trap '$DOCKER rm -fv $N $N-2 >/dev/null 2>&1; $DOCKER volume rm $N-v $N-w >/dev/null 2>&1' EXIT
plain() { sed -E "s#/[^ ]*(/etc/[a-z/]*)#\1#; s/$N/NAME/g"; }
try() {
	$DOCKER "$@" 2>&1 | head -n 1 | plain
	$DOCKER ps -aq --filter name=$N'$'
}
$DOCKER create --name $N --network none -w /new/deep $IMAGE true >/dev/null
$DOCKER diff $N | grep new
echo hello >file
$DOCKER cp file $N:/new/deep/ && $DOCKER cp $N:/new/deep/file - | tar -xO
$DOCKER rm $N >/dev/null

echo "# volumes are filled by the create"
umask 077
$DOCKER create --name $N --network none -v $N-v:/etc -v /usr/lib/os-release/../../../etc/apt -v /not/there $IMAGE true >/dev/null
$DOCKER run --rm --network none -v $N-v:/v $IMAGE sh -c 'stat -c %a /v; cat /v/debian_version' >seen
$DOCKER run --rm --network none $IMAGE sh -c 'stat -c %a /etc; cat /etc/debian_version' | cmp - seen && echo same
$DOCKER run --rm --network none --volumes-from $N $IMAGE sh -c 'ls /etc/apt | head -n 2; stat -c %a /not /not/there'
$DOCKER rm -v $N >/dev/null
$DOCKER create --name $N --network none -v $N-v:/usr/share -v $N-w:/etc:nocopy $IMAGE true >/dev/null
$DOCKER run --rm --network none -v $N-v:/v -v $N-w:/w $IMAGE sh -c 'ls -d /v/passwd /v/doc; ls -A /w'
$DOCKER rm -v $N >/dev/null

echo "# files where there should be directories"
for how in create run "run -d" "run --rm"; do
	for what in "-w /etc/passwd" "-w /etc/passwd/x" "-v /etc/passwd" "-v /etc/passwd/x" "-v $N-w:/etc/passwd" \
		"-v $N-w:/etc/passwd/x" "--mount type=volume,src=$N-w,dst=/etc/passwd" "--mount type=volume,dst=/etc/passwd"; do
		echo "$how $what" | plain
		try $how --name $N --network none $what $IMAGE true
	done
done
$DOCKER run --cidfile id --name $N --network none -v /etc/passwd $IMAGE true 2>/dev/null; echo "$?"
$DOCKER create --cidfile id --name $N --network none -v /etc/passwd $IMAGE true 2>/dev/null; echo "$?"
ls
