#!/bin/sh
# the working directory that an image names is made by the create where no layer has it, as each time
# tags: create,workdir
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi $N-i >/dev/null 2>&1' EXIT
for dir in /not/there /usr/lib /etc/passwd; do
	$DOCKER create --name $N --network none $IMAGE true >/dev/null
	$DOCKER commit -c "WORKDIR $dir" $N $N-i >/dev/null
	$DOCKER rm $N >/dev/null
	for o in '' '' '-w /own'; do
		echo "== $dir $o"
		$DOCKER create --name $N --network none $o $N-i pwd 2>&1 >/dev/null | sed "s#: [^ ]*/etc/passwd#: /etc/passwd#"
		$DOCKER diff $N 2>/dev/null | sort | grep -v etc
		$DOCKER cp $N:$dir - 2>/dev/null | tar -t | head -n 1
		$DOCKER start -a $N 2>/dev/null
		$DOCKER rm -v $N >/dev/null 2>&1
	done
	$DOCKER rmi $N-i >/dev/null
done
