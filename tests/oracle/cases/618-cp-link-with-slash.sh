#!/bin/sh
# cp of a symbolic link of this machine, with and without a slash behind it
# tags: cp
# weight: common
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
mkdir d; echo x >d/g; ln -s d ld; ln -s d/g lf; chmod -R a+rX .
$DOCKER run -d --network none --name $N $IMAGE sleep 1000 >/dev/null
for a in ld/ ld/. ld lf lf/ ./ld/ d/ "$TMP/ld/"; do
	for to in /q/new /q/there; do
		$DOCKER exec $N sh -c 'rm -rf /q; mkdir -p /q/there'
		$DOCKER cp -q "$a" $N:$to >out 2>&1; echo "[${a##*"$TMP"}] $to $?"
		sed "s,$TMP,TMP,g" out
		$DOCKER exec $N sh -c 'cd /q; find . | sort; readlink new there/*'
	done
done
:
