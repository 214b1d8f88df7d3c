#!/bin/sh
# what is wrong with the client's own file is said before anything else; and words about files and filters
# tags: cli
# weight: rare
mkdir c
while IFS= read -r text; do
	printf '%s' "$text" >c/config.json
	for words in 'ps --nosuch' nosuch --bad 'volume x' 'completion bash --zz' 'inspect nosuch' 'run'; do
		echo "# $text / $words"
		$DOCKER --config c $words 2>&1 </dev/null | head -n 2
	done
done <<'X'
{bad
{}

[]
"x"
{"psFormat":1}
{"detachKeys":[]}
{"psFormat":"{{.Names}}"
{"psFormat":"{{.Names}}",}
{"a":1} x
{"currentContext":null}
X
echo '{"psFormat":{},"volumesFormat":"{{.Name}}!"}' >c/config.json
$DOCKER volume create $N-v >/dev/null
$DOCKER --config c volume ls --filter name=$N-v 2>&1 | sed "s/$N/N/"
$DOCKER volume rm $N-v >/dev/null
$DOCKER network connect --driver-opt= nosuch$N nosuch$N 2>&1 | sed "s/$N/N/g"
$DOCKER network connect --driver-opt x nosuch$N nosuch$N 2>&1 | sed "s/$N/N/g"
for filter in label=x until=1h event=die; do
	$DOCKER system prune --filter $filter </dev/null 2>&1; echo
done
