#!/bin/sh
# links and pipes of several names are one in an archive, and stay one by cp, export, import and commit
# tags: cp export import commit
# weight: rare
trap 'exec >/dev/null 2>&1; $DOCKER rm -f $N; $DOCKER rmi ${N}i ${N}j' EXIT
show() { tar tv | sed -n 's|^\(.\).* \./*\(tmp/.*\)|\1 \2|p; s|^\(.\).* \(tmp/[a-z].*\)|\1 \2|p' | sort; }
names() { $DOCKER run --rm --network none $1 sh -c 'cd /tmp; for f in *; do [ -h $f ] && readlink $f; done; [ -p f ] && echo pipe;
	for p in "a b" "f g" "x y"; do set -- $p; [ "$(stat -c %i $1)" = "$(stat -c %i $2)" ] && echo $p; done'; }
mkdir d && cd d
ln -s /etc/passwd a; ln -P a b; ln -s a c; mkfifo f; ln f g; echo x >x; ln x y
tar cf ../d.tar a b c f g x y; cd ..
$DOCKER create --name $N --network none --entrypoint sh $IMAGE >/dev/null
$DOCKER cp - $N:/tmp <d.tar
$DOCKER cp $N:/tmp - | show
$DOCKER export $N | show
$DOCKER export $N | $DOCKER import - ${N}i >/dev/null; names ${N}i
$DOCKER commit $N ${N}j >/dev/null; names "--entrypoint= ${N}j"
$DOCKER rm $N >/dev/null
