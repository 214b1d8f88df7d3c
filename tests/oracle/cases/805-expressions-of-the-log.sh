#!/bin/sh
# expressions that choose labels for the log are Go's, and so are the words about wrong ones
# tags: logs create
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
printf '%s\n' '[]' '[z-a]' '[[:foo:]]' 'a)' '(?' '(?x)a' '(?=a)' '*' 'a**' 'a*??' 'a{2}*' 'a{1001}' '{2}' 'a\' '\Z' '\1' '\x4' '[\q]' '(a{1000}){1000}' |
	while IFS= read -r o; do
		printf '== %s\n' "$o"
		$DOCKER create --name $N --network none --log-opt "labels-regex=$o" --label ab=1 $IMAGE true >/dev/null
		$DOCKER start $N 2>&1 | sed -n 's/.*error parsing/error parsing/p'
		$DOCKER rm -f $N >/dev/null
	done
for o in '^\w\d$' '(?i)^AB$' '^(?:a|b){2,3}?$' 'a{,2}' '^[^]a-]\B.' '\Qa.b\E' '^[[:^digit:]]+\b$' '(?-i:B)'; do
	printf '== %s\n' "$o"
	$DOCKER run --name $N --network none --log-opt "labels-regex=$o" --label ab=1 --label a1=1 --label abab=1 --label B=1 --label a.b=1 $IMAGE echo x >/dev/null
	$DOCKER logs --details $N
	$DOCKER rm -f $N >/dev/null
done
