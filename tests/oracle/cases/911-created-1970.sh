#!/bin/sh
# images of builds that are to be the same each time are of 1970, or of no time
# tags: images history
# weight: common
trap '$DOCKER rmi -f $N:epoch $N:never $N:later >/dev/null 2>&1' EXIT
cd $TMP || exit
head -c 1024 /dev/zero >l.tar
id=$(sha256sum l.tar | cut -d' ' -f1)
image() {
	printf '{"architecture":"amd64","os":"linux",%s"config":{"Cmd":["x"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{%s"created_by":"%s"}]}' "$2" $id "$2" $1 >c.json
	printf '[{"Config":"c.json","RepoTags":["%s:%s"],"Layers":["l.tar"]}]' $N $1 >manifest.json
	tar -cf image.tar manifest.json c.json l.tar
	$DOCKER load -qi image.tar >/dev/null
}
image epoch '"created":"1970-01-01T00:00:00Z",'
image never ''
image later '"created":"1970-01-02T00:00:00Z",'
low() { sed "s/$N/NAME/g; s/[0-9][0-9]* years/N years/; s/^NAME  *\([a-z]*\)  *[0-9a-f]\{12\} /NAME \1 ID /; s/^[0-9a-f]\{12\}/ID/"; }
for f in 'table {{.Tag}}\t{{.CreatedSince}}' '{{.Tag}} [{{.CreatedSince}}] {{.CreatedAt}}'; do $DOCKER images --format "$f" $N | low; done
$DOCKER images $N | low
for t in epoch never later; do
	$DOCKER history $N:$t | low
	$DOCKER history -H=false $N:$t | low
	$DOCKER history --format '[{{.CreatedAt}}] [{{.CreatedSince}}]' $N:$t
	echo "since $t:" $($DOCKER images --filter since=$N:$t --filter reference=$N --format '{{.Tag}}' | sort)
	echo "before $t:" $($DOCKER images --filter before=$N:$t --filter reference=$N --format '{{.Tag}}' | sort)
done
# before 2000 nothing was built
image later '"created":"2000-01-01T00:00:00Z",'
$DOCKER history --format '{{.CreatedSince}}' $N:later
image later '"created":"2000-01-01T00:00:01Z",'
$DOCKER history --format '{{.CreatedSince}}' $N:later | low
