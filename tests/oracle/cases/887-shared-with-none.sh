#!/bin/sh
# containers whose namespaces are to be shared are looked for before the image is, but those of the network at the start; --pull always comes first
# tags: create,errors
# weight: rare
trap '$DOCKER rm -f $N $N-2 >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none $IMAGE true >/dev/null
words() {
	sed -E "s/[0-9a-f]{64}/ID/g; s/$N/N/g; /^Unable to find/d; s/[Rr]ange of CPUs.*/range of CPUs/; s/^((docker: )?Error response from daemon: )([Gg]et|pull access|failed|[^ ]* manifest).*/\1no pull/"
}
for image in $IMAGE nosuch$N; do
	for pull in never missing always; do
		[ $pull,$image != always,$IMAGE ] || continue
		for o in '--ipc container:nosuch' '--pid container:nosuch' '--pid container:no1 --ipc container:no2' \
			'--ipc container:nosuch -v x/y:/z' '--ipc container:nosuch --cpus 1000' '--ipc container:nosuch -w x' \
			'--ipc container:nosuch --name %' "--ipc container:$N" "--pid container:$N --network none" \
			'--network container:nosuch' '--network container:' '--volumes-from nosuch'; do
			echo "== $image $pull $o" | sed "s/$N/N/g; s,^== [^ ]*/*:3,== IMAGE,"
			$DOCKER create --name $N-2 --pull $pull $o $image true 2>&1 | words
			$DOCKER start $N-2 2>&1 | words | sed 's/^/start: /'
			$DOCKER rm $N-2 >/dev/null 2>&1
		done
	done
done
exit 0
