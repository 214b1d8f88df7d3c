#!/bin/sh
# whoever reads the output has had enough: the client says so where it passes signals on, and dies of it where not
# tags: run,start,exec,logs,attach
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
left() {
	echo "# $*" | sed "s/$N/NAME/g; s|$IMAGE|IMAGE|"
	{ $DOCKER "$@" 2>err; echo "$?" >code; } | head -n 1
	until [ -s code ]; do sleep 0.05; done
	cat code err
	rm code
}
left run --network none --name $N $IMAGE yes
$DOCKER rm -f $N >/dev/null
left run --network none --name $N --sig-proxy=false $IMAGE yes
left attach $N
left attach --sig-proxy=false $N
left exec $N yes
left logs -f $N
$DOCKER rm -f $N >/dev/null
$DOCKER create --network none --name $N $IMAGE yes >/dev/null
left start -a $N
