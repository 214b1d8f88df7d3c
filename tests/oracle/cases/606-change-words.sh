#!/bin/sh
# instructions of import and commit: what is no list of strings, what names nothing, the shell's own variables
# tags: import, commit, errors
# weight: rare
trap '$DOCKER rmi -f $N >/dev/null 2>&1' EXIT
mkdir r; echo a >r/a; tar -C r -cf r.tar .
for c in 'VOLUME []' 'VOLUME' 'CMD [1]' 'CMD ["a", 1]' 'ENTRYPOINT [true]' 'ENV A=$$A' 'ENV A=$#x$@y$!' 'ENV A=1$' 'ENV A=$-' \
	'CMD ["a"' 'ENTRYPOINT ["a", "b c"]'; do
	$DOCKER import -c "$c" r.tar $N >out 2>&1; echo "[$c] $? $(sed 's/[0-9a-f]\{64\}/ID/' out)"
	$DOCKER inspect -f '{{json .Config.Env}} {{json .Config.Cmd}} {{json .Config.Entrypoint}} {{json .Config.Volumes}}' $N 2>/dev/null
	$DOCKER rmi -f $N >/dev/null 2>&1
done
$DOCKER import --platform nope r.tar $N 2>&1
$DOCKER import --platform linux/amd64/v2/x r.tar $N 2>&1
$DOCKER import --platform '' r.tar $N | wc -c
$DOCKER tag '' a 2>&1
$DOCKER diff '' 2>&1
$DOCKER commit '' a 2>&1
$DOCKER images a b 2>&1
$DOCKER volume create a b 2>&1
$DOCKER context show a 2>&1
