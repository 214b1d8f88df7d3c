#!/bin/sh
# what is told of a list whose filter the daemon refuses and whose template the client cannot read: the daemon's words first
# tags: cli
# weight: rare
for list in "network ls" "volume ls" "plugin ls" "images" "ps" "search x" "history $N-none"; do
	for template in '{{' '{{.Nope}}' '{{nope}}'; do
		echo "# ${list%% *} $template"
		case $list in
		history*) $DOCKER $list --format "$template" 2>&1 ;;
		*) $DOCKER $list --filter bogus=1 --format "$template" 2>&1 ;;
		esac | tr I i | sed "s/$N/N/"
	done
done
for list in "network ls" "volume ls" "plugin ls" "images"; do
	$DOCKER $list --format '{{' 2>&1
done
