#!/bin/sh
# words that a message has in quotes are escaped as Go does it, which for durations is another way
# tags: create ps logs error
# weight: rare
trap '$DOCKER rm -f ${N}a >/dev/null 2>&1' EXIT
create() { $DOCKER create --name ${N}a --network none "$@" $IMAGE true 2>&1 | sed '/^$/,$d'; }
tab=$(printf 'a\tb')
for word in 'a"b' 'a\b' "$tab" 'é'; do
	for option in --isolation --stop-timeout --security-opt --add-host --platform --health-interval --health-retries \
		--cpu-shares --pids-limit --blkio-weight --oom-score-adj --expose; do
		create $option "$word"
	done
	create --ulimit nofile="$word"; create --security-opt "no-new-privileges=$word"; create --security-opt "$word=1"
	create --mount "type=\"$(echo "$word" | sed 's/"/""/g')\",dst=/x"; create --add-host "a:$word"
	$DOCKER ps -f exited="$word" 2>&1; $DOCKER ps -n "$word" 2>&1 | sed '/^$/,$d'; $DOCKER ps -f publish="$word" 2>&1
	$DOCKER logs --since "$word" ${N}a 2>&1; $DOCKER events --until "$word" 2>&1
	$DOCKER tag "$word" x 2>&1; $DOCKER inspect --type "$word" x 2>&1
	$DOCKER volume create "$word" 2>&1; $DOCKER volume create -o "$word=x" ${N}v 2>&1
	$DOCKER container prune -f --filter "until=$word" 2>&1
done | sed "s/invalid isolation/Invalid isolation/; s/$N/N/g"
$DOCKER create --name ${N}a --network none $IMAGE true >/dev/null
for change in "ENV A='a\"b" 'ENV A="a	b' "USER 'a" 'HEALTHCHECK a"b' "LABEL x=1 y='z"; do $DOCKER commit -c "$change" ${N}a 2>&1; done
for word in 'a"b' 'a\b'; do
	$DOCKER run --rm --network host --sysctl "net.$word=1" $IMAGE true 2>&1 | grep -o 'sysctl ".*" not'
	$DOCKER run --rm --network none --tmpfs "/etc/passwd/$word" $IMAGE true 2>&1 | grep -o 'error mounting .*: mkdir'
done
