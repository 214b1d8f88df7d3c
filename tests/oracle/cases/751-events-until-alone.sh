#!/bin/sh
# events: --until alone tells all that is known until then, --until 0 all and no more
# tags: events
# weight: rare
$DOCKER create --network none --name $N $IMAGE true >/dev/null
$DOCKER rm $N >/dev/null
says() {
	echo "- $(echo " $*" | sed -E 's/ [0-9]{6,}/ TIME/g')"
	$DOCKER events --filter container=$N --format '{{.Action}}' "$@" 2>&1 | sed -E 's/\([0-9.]+\)/(TIME)/g'
}
now=$(($(date +%s) + 1))
says --until 0
says --until 0 --since 0
says --since '' --until 0
says --until $now
says --until 1h
says --until 2000-01-01
says --since 2000-01-01 --until 2000-01-02
says --since 0 --until $now
says --since $now --until 0
says --since x --until 0
says --since 0 --until x
