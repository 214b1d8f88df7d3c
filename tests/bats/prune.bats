load lib

@test "container prune takes what is stopped, and asks first" {
	sbx run -d --name "$c-runs" --label "p$c=1" "$box" sleep 100000
	id=$(sbx create --name "$c" --label "p$c=1" "$box" true)
	run -0 sbx container prune --filter "label=p$c" </dev/null
	equal "$output" "WARNING! This will remove all stopped containers.
Are you sure you want to continue? [y/N] "
	sbx inspect "$c" >/dev/null
	echo y | sbx container prune --filter "label=p$c" | grep -A 3 -x "Are you sure.*Deleted Containers:" >out
	contains "$(cat out)" "$id

Total reclaimed space: 0B"
	missing "$c"
	running "$c-runs"
	equal "$(sbx container prune -f --filter "label=p$c")" "Total reclaimed space: 0B"
}

@test "until and label! spare what is younger or marked" {
	sbx create --name "$c" --label "p$c=1" --label keep "$box" true
	sbx container prune -f --filter "label=p$c" --filter until=1h
	sbx container prune -f --filter "label=p$c" --filter until=0
	sbx container prune -f --filter "label=p$c" --filter until=1970-01-01T00:00:00Z
	sbx container prune -f --filter "label=p$c" --filter label!=keep
	sbx inspect "$c" >/dev/null
	run -1 sbx container prune -f --filter until=foo
	equal "$output" 'Error response from daemon: failed to parse value as time or duration: "foo"'
	run -1 sbx container prune -f --filter foo=1
	contains "$output" "nvalid filter 'foo'"
}

@test "volume prune takes anonymous volumes nobody uses, with -a all of them" {
	sbx volume create --label "p$c" "v$c"
	sbx volume create --label "p$c" "used$c"
	anonymous=$(sbx volume create)
	sbx create --name "$c" -v "used$c:/d" "$box" true
	contains "$(sbx volume prune -f)" "$anonymous"
	sbx volume inspect "v$c" "used$c" >/dev/null
	equal "$(sbx volume prune -af --filter "label=p$c" | sed -n 1,2p)" "Deleted Volumes:
v$c"
	sbx volume inspect "used$c" >/dev/null
	sbx rm "$c"
	sbx volume rm "used$c"
}

@test "that a volume is anonymous is a label of it for prune as well" {
	anonymous=$(sbx volume create)
	other=$(sbx volume create --label "p$c")
	lacks "$(sbx volume prune -f --filter "label!=com.docker.volume.anonymous")" "$anonymous"
	lacks "$(sbx volume prune -f --filter label=com.docker.volume.anonymous --filter "label!=p$c")" "$other"
	run -1 sbx volume inspect "$anonymous"
	contains "$(sbx volume prune -f --filter "label=p$c")" "$other"
}

@test "image prune takes images without a name" {
	mkdir root && echo "$c" >root/f
	id=$(tar -C root -c . | sbx import -c "LABEL p$c=1" -)
	run -0 sbx image prune -f --filter "label=p$c"
	contains "$output" "Deleted Images:
deleted: $id"
	run -1 sbx image inspect "$id"
}

@test "what a killed creator of images left goes with the next one that is removed, and nothing else" {
	mkdir root && echo "$c" >root/f
	id=$(tar -C root -c . | sbx import -)
	id=${id#sha256:}
	layer=$(sbx image inspect -f '{{index .RootFS.Layers 0}}' "$id")
	layer=${layer#sha256:}
	half=$(printf 'a%.0s' {1..64})
	# left by commands killed before a new image got its name, while one was removed, and before a layer had an image
	cp -r "$SBX_ROOT/images/$id" "$SBX_ROOT/images/.new-$half"
	cp -r "$SBX_ROOT/images/$id" "$SBX_ROOT/images/.old-$half"
	cp "$SBX_ROOT/layers/$layer.sqsh" "$SBX_ROOT/layers/$half.sqsh"
	cp "$SBX_ROOT/layers/$layer.json" "$SBX_ROOT/layers/$half.json"
	# the description of a layer that never came, half a description, and half a reference
	echo '{"Format":1,"Size":1}' >"$SBX_ROOT/layers/${half//a/c}.json"
	echo '{' >"$SBX_ROOT/layers/.${half//a/d}.json.1234"
	mkdir -p "$SBX_ROOT/refs" && echo sha256: >"$SBX_ROOT/refs/.new.1234"
	# an image in an unknown format may have the layer
	other=$(printf 'b%.0s' {1..64})
	cp -r "$SBX_ROOT/images/$id" "$SBX_ROOT/images/$other"
	sed -i 's/"Format":1/"Format":99/' "$SBX_ROOT/images/$other/meta.json"
	sbx image prune -f --filter label=nobody
	[ -e "$SBX_ROOT/layers/$half.sqsh" ]
	[ ! -e "$SBX_ROOT/images/.new-$half" ]
	[ ! -e "$SBX_ROOT/images/.old-$half" ]
	equal "$(find "$SBX_ROOT/layers" -name "${half//a/c}*" -o -name '.d*')$(find "$SBX_ROOT/refs" -name '.*')" ""
	[ -e "$SBX_ROOT/layers/$layer.json" ]
	rm -r "$SBX_ROOT/images/$other"
	sbx image prune -f --filter label=nobody
	equal "$(cd "$SBX_ROOT/layers" && echo "$half"*)" "$half*"
	sbx create --name "$c" "sha256:$id" /f >/dev/null
	equal "$(sbx cp "$c:/f" - | tar -xO)" "$c"
	sbx rm "$c"
	sbx rmi "$id"
	[ ! -e "$SBX_ROOT/layers/$layer.sqsh" ]
}

@test "a layer that stays for an image that cannot be read is not told as deleted" {
	mkdir root && echo "$c" >root/f
	tar -C root -c . | sbx import -c "LABEL of=$c" - "$c:1" >/dev/null
	id=$(sbx image inspect -f '{{.Id}}' "$c:1")
	layer=$(sbx image inspect -f '{{index .RootFS.Layers 0}}' "$id")
	other=$SBX_ROOT/images/$(printf 'c%.0s' {1..64})
	cp -r "$SBX_ROOT/images/${id#sha256:}" "$other"
	sed -i 's/"Format":1/"Format":99/' "$other/meta.json"
	run -0 sbx rmi "$c:1"
	rm -r "$other"
	equal "$output" "Untagged: $c:1
Deleted: $id"
	[ -e "$SBX_ROOT/layers/${layer#sha256:}.sqsh" ]
	sbx image prune -f --filter label=nobody
	[ ! -e "$SBX_ROOT/layers/${layer#sha256:}.sqsh" ]
}

@test "image prune takes no dangling= that says other than -a" {
	run -1 --separate-stderr sbx image prune -f --filter dangling=false --filter label=nobody
	equal "$stderr" "Error response from daemon: invalid filter 'dangling=[false true]'"
	run -1 --separate-stderr sbx image prune -af --filter dangling=true --filter label=nobody
	equal "$stderr" "Error response from daemon: invalid filter 'dangling=[true false]'"
	sbx image prune -af --filter dangling=false --filter label=nobody
}

@test "image prune -a leaves an image in use its last name" {
	mkdir root && echo "$c" >root/f
	id=$(tar -C root -c . | sbx import -c "LABEL of=$c" - "z$c:1")
	sbx tag "z$c:1" "a$c:1"
	sbx tag "z$c:1" "m$c:2"
	sbx create --name "$c" "z$c:1" /f >/dev/null
	equal "$(sbx image prune -f --filter "label=of=$c")" "Total reclaimed space: 0B"
	equal "$(sbx image prune -af --filter "label=of=$c")" "Deleted Images:
untagged: a$c:1
untagged: m$c:2

Total reclaimed space: 0B"
	equal "$(sbx image inspect -f '{{.RepoTags}}' "$id")" "[z$c:1]"
	sbx rm "$c"
	contains "$(sbx image prune -af --filter "label=of=$c")" "untagged: z$c:1"
	run -1 sbx image inspect "$id"
}

@test "system prune names what it will take, and takes it" {
	sbx network create "net$c" --label "p$c"
	sbx create --name "$c" --label "p$c" "$box" true
	run -0 sbx system prune --filter "label=p$c" </dev/null
	contains "$output" "  - all networks not used by at least one container"
	contains "$output" "  Items to be pruned will be filtered with:
  - label=p$c"
	run -0 sbx system prune -f --filter "label=p$c"
	contains "$output" "Deleted Containers:"
	contains "$output" "Deleted Networks:
net$c"
	contains "$output" "Total reclaimed space: 0B"
	missing "$c"
	run -1 sbx system prune -f --volumes --filter until=1h
	equal "$output" 'ERROR: The "until" filter is not supported with "--volumes"'
}

@test "system df counts what there is" {
	sbx volume create "df$c"
	head -c 4000 /dev/zero >"$(sbx volume inspect -f '{{.Mountpoint}}' "df$c")/f"
	sbx run --name "$c" "$box" sh -c 'head -c 5000 /dev/zero >/f'
	equal "$(sbx system df | head -n 1)" "TYPE            TOTAL     ACTIVE    SIZE      RECLAIMABLE"
	equal "$(sbx system df --format '{{.Type}}' | paste -sd,)" "Images,Containers,Local Volumes,Build Cache"
	run -0 sbx system df -v
	[[ $output =~ df$c" "+0" "+4kB ]]
	[[ $output =~ $box" "+'"sh -c'[^$'\n']*5kB ]]
	sbx system df -v --format json | python3 -c 'import json, sys; assert set(json.load(sys.stdin)) >= {"Images", "Containers", "Volumes", "BuildCache"}'
	sbx volume rm "df$c"
}

@test "builder prune has nothing to reclaim, and looks at its words" {
	equal "$(sbx builder prune -af --filter until=24h --keep-storage 10mb)" "Total reclaimed space: 0B"
	run -0 sbx builder prune </dev/null
	contains "$output" "This will remove all dangling build cache."
	run -1 sbx builder prune -f --filter "$c=1"
	contains "$output" "failed to prune build cache: "
	contains "$output" "nvalid filter '$c'"
	run -125 sbx builder prune -f --keep-storage 1x
	contains "$output" "invalid argument \"1x\" for \"--keep-storage\" flag: invalid suffix: 'x'"
	run -1 sbx builder prune x
	contains "$output" "docker: 'docker builder prune' accepts no arguments"
}

@test "what config.json says to spare is spared, with and without a label in the command" {
	mkdir conf
	echo '{"pruneFilters": ["label!=spare"]}' >conf/config.json
	SBX_ROOT=$PWD/d sbx volume create --label spare "v$c"
	SBX_ROOT=$PWD/d sbx --config conf volume prune -af
	SBX_ROOT=$PWD/d sbx volume inspect "v$c" >/dev/null
	sbx create --name "$c" --label "p$c" --label spare "$box" true
	sbx --config conf container prune -f --filter "label=p$c"
	sbx inspect "$c" >/dev/null
	sbx --config conf container prune -f --filter "label=p$c" --filter label=spare
	missing "$c"
}

asked() {
	[[ $(cat asked) == *"[y/N] " ]]
}

@test "who ends the question has said no" {
	sbx create --name "$c" "$box" true >/dev/null
	for signal in INT TERM; do
		rm -f asked # else the one before would be read until the shell's child has emptied it
		"$SBX" container prune --filter "label=none=$c" <>"$BATS_FILE_TMPDIR/never" >asked 3>&- &
		client=$!
		background+=("$client")
		eventually asked
		kill -s "$signal" "$client"
		client_ends
		equal "$status" 0
		equal "$(tail -c 3 asked | od -An -c | tr -d ' ')" ']\n'
	done
	sbx inspect "$c" >/dev/null
}

@test "what cannot be removed is told, what can be goes, and that is no success" {
	[ "$(id -u)" -ne 0 ] || lacking "root writes everywhere"
	export SBX_ROOT=$PWD/store
	sbx import "$box" "$c" >/dev/null
	sbx create --name "$c" --network none "$box" true >/dev/null
	sbx network create "n$c" >/dev/null
	volume=$(sbx volume create)
	chmod 500 store/containers store/networks store/volumes
	for kind in container network volume system; do
		run -1 --separate-stderr sbx "$kind" prune -f
		contains "$stderr" "Error response from daemon: the store $PWD/store"
		contains "$stderr" ": remove "
		contains "$stderr" ": Permission denied"
		lacks "$output" Deleted
	done
	chmod 700 store/containers
	# what was removed before the error is printed, too
	chmod 000 store/networks
	run -1 --separate-stderr sbx system prune -f
	contains "$output" "Deleted Containers:"
	contains "$stderr" "$PWD/store/networks"
	chmod 700 store/networks store/volumes
	equal "$(sbx network prune -f | sed -n 2p)" "n$c"
	equal "$(sbx volume prune -f | sed -n 2p)" "$volume"
}

@test "where nothing can be listed nothing is said to be there, or not to be" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	export SBX_ROOT=$PWD/store
	sbx import "$box" "$c" >/dev/null
	image=$(sbx images -q)
	id=$(sbx run -d --name "$c" --network none "$c" sleep 100000)
	sbx volume create "$c" >/dev/null
	sbx network create "n$c" >/dev/null
	for dir in containers images refs volumes networks; do
		case $dir in
		containers) what="ps,ps -a,container prune -f,volume prune -f,network prune -f,image prune -f,system df,inspect $c,inspect ${id:0:12}" ;;
		images | refs) what="images,image prune -f,system df,inspect $c:latest,inspect $image,rmi $c,tag $c other" ;;
		volumes) what="volume ls,volume prune -f,system df,volume inspect $c,volume rm $c" ;;
		networks) what="network ls,network prune -f,network inspect n$c,network rm n$c" ;;
		esac
		chmod 000 "store/$dir"
		tr , '\n' <<<"$what" >commands
		while read -r -a words <&4; do
			run ! --separate-stderr sbx "${words[@]}" </dev/null
			contains "$stderr" "$PWD/store"
			contains "$stderr" "Permission denied"
			lacks "$stderr" "o such"
			[ "$output" = "" ] || [ "$output" = "[]" ] || equal "$output" "Total reclaimed space: 0B"
		done 4<commands
		chmod 700 "store/$dir"
	done
	equal "$(sbx ps -q --no-trunc)" "$id"
	sbx rm -f "$c" >/dev/null
}
