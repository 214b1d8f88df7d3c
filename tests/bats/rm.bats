load lib

@test "rm takes away the container, its files and its name" {
	id=$(sbx create --name "$c" "$box" true)
	equal "$(sbx rm "$c")" "$c"
	missing "$c"
	missing "$id"
	sbx create --name "$c" "$box" true >/dev/null
}

@test "rm of what runs is refused" {
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	run -1 --separate-stderr sbx rm "$c"
	equal "$stderr" "Error response from daemon: cannot remove container \"$c\": container is running: stop the container before removing or force remove"
	running "$c"
	kill -0 "$(sbx inspect -f '{{.State.Pid}}' "$id")"
}

@test "a refusal of rm has the word that it was given, and tells what is paused to unpause" {
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	sbx pause "$c" >/dev/null
	for word in "$c" "/$c/" "${id::9}"; do
		run -1 --separate-stderr sbx rm "$word"
		word=${word#/}
		equal "$stderr" "Error response from daemon: cannot remove container \"${word%/}\": container is paused and must be unpaused first"
	done
	equal "$(sbx rm -f "$c")" "$c"
}

@test "rm -f kills what runs" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "setsid sleep $nap & exec sleep $nap" >/dev/null
	eventually sleeps "$nap" 2
	equal "$(sbx rm -f "$c")" "$c"
	sleeps "$nap" 0
	missing "$c"
}

# As docker's daemon, to which the client has only said it.
@test "an rm -f whose client is killed is done to its end" {
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	exec {lock}<"$SBX_ROOT/containers/$id"
	flock "$lock" # so that the end is not recorded yet
	behind rm -f "$c" {lock}<&-
	eventually gone "$pid"
	kill -9 "$client"
	client_ends
	exec {lock}<&-
	eventually missing "$c"
}

@test "rm of a missing container is 1; with -f it is said and is 0" {
	run -1 --separate-stderr sbx rm "$c-none"
	contains "$stderr" "No such container: $c-none"
	run -0 --separate-stderr sbx rm -f "$c-none"
	contains "$stderr" "No such container: $c-none"
}

@test "rm takes several and goes on after a missing one" {
	sbx create --name "$c-1" "$box" true >/dev/null
	sbx create --name "$c-2" "$box" true >/dev/null
	run -1 --separate-stderr sbx rm "$c-1" "$c-none" "$c-2"
	equal "$output" "$c-1"$'\n'"$c-2"
}

@test "trees which nobody may read or write are removed" {
	sbx run --name "$c" "$box" sh -c '
		mkdir -p /deep/a/b/c && touch /deep/a/b/c/f && chmod 0 /deep/a/b/c /deep/a/b /deep/a /deep
		mkdir /locked && touch /locked/f && chmod 500 /locked
		rm -rf /var /home; mkdir /var; ln -s / /link'
	sbx rm "$c"
	missing "$c"
	[ -z "${SBX_ROOT:+$(find "$SBX_ROOT/containers" -maxdepth 1 -name "$c*" 2>/dev/null)}" ]
}

@test "rm without names is a wrong number of arguments" {
	run -1 --separate-stderr sbx rm
	contains "$stderr" "requires at least 1 argument"
}

@test "what was renamed while it ran ends and goes under its new name" {
	sbx run -d --name "$c" "$box" sleep "$(a_nap)" >/dev/null
	sbx rename "$c" "$c-new"
	sbx kill "$c-new"
	sbx wait "$c-new"
	equal "$(sbx ps -a --filter "name=$c" --format '{{.Names}}')" "$c-new"
	sbx rm "$c-new"
	[ ! -L "$SBX_ROOT/names/$c-new" ]
	sbx run -d --rm --name "$c" "$box" sleep "$(a_nap)" >/dev/null
	sbx rename "$c" "$c-new"
	sbx kill "$c-new"
	eventually missing "$c-new"
	eventually eval '[ ! -L "$SBX_ROOT/names/$c-new" ]'
}

@test "between two of its lives nobody sees a container that has ended" {
	sbx run -d --name "$c" --restart always "$box" true >/dev/null
	python3 - "$SBX_ROOT/containers/$(sbx inspect -f '{{.Id}}' "$c")/state" <<-'END'
		import sys
		lives, seen = set(), set()
		while len(lives) < 5:  # reading it takes microseconds
		    with open(sys.argv[1]) as f:
		        words = dict(line.rstrip("\n").partition(" ")[::2] for line in f)
		    lives.add(words.get("restart_count", "0"))
		    seen.add(words["status"])
		assert seen <= {"running", "restarting"}, seen
	END
}

@test "rm -f and stop end a container that is being restarted, whatever moment they meet" {
	local i k
	# 1,500 commands, each of which takes a tenth of a second with a sanitizer
	for ((i = 1; i <= 30; i += ${SBX_TEST_SANITIZED:+5} + 1)); do
		sbx run -d --name "$c" --restart always "$box" true >/dev/null
		eventually eval '[ "$(sbx inspect -f "{{.State.Status}}" "$c")" = restarting ]'
		for ((k = 0; k < 3 * i; k++)); do # each time a millisecond or two closer to the restart
			sbx inspect "$c" >/dev/null
		done
		if [ $((i % 2)) = 0 ]; then
			timeout 150 "$SBX" stop -t 0 "$c" >/dev/null
			equal "$(sbx inspect -f '{{.State.Status}}' "$c")" exited
		fi
		timeout 150 "$SBX" rm -f "$c" >/dev/null
		missing "$c"
	done
}

@test "what notes that a container was made with --link goes with it" {
	sbx create --name "$c" "$box" true >/dev/null
	id=$(sbx create --name "$c-2" --link "$c:x" "$box" true 2>/dev/null)
	[ -e "$SBX_ROOT/links/$id" ]
	sbx rm "$c-2"
	[ ! -e "$SBX_ROOT/links/$id" ]
}

@test "a name that a killed removal left goes with the rest of it" {
	sbx create --name "$c-1" "$box" true >/dev/null
	id=$(sbx create --name "$c" --link "$c-1:x" "$box" true 2>/dev/null)
	mv "$SBX_ROOT/containers/$id" "$SBX_ROOT/containers/.rm-$id"
	sbx ps -a >/dev/null
	[ ! -e "$SBX_ROOT/containers/.rm-$id" ]
	[ ! -e "$SBX_ROOT/links/$id" ]
	[ ! -L "$SBX_ROOT/names/$c" ]
}

@test "rm -f ends and removes a container that runs and whose files are damaged" {
	nap=$(a_nap)
	for file in state spec.json; do
		for options in "" --rm "--restart always"; do
			# shellcheck disable=SC2086 # several words
			id=$(sbx run -d $options --name "$c" "$box" sleep "$nap")
			eventually sleeps "$nap"
			: >"$SBX_ROOT/containers/$id/$file"
			equal "$(timeout -s KILL 100 "$SBX" rm -f "$c")" "$c"
			sleeps "$nap" 0
			[ ! -e "$SBX_ROOT/containers/$id" ]
		done
	done
}

@test "a container whose state is missing is shown, and removed by rm -f" {
	id=$(sbx create --name "$c" "$box" true)
	rm "$SBX_ROOT/containers/$id/state"
	equal "$(sbx ps -a --no-trunc --filter "id=$id" --format '{{.ID}} {{.State}}')" "$id dead"
	run -1 sbx rm "$c"
	contains "$output" "state of container ${id:0:12}: it is missing"
	equal "$(sbx rm -f "$c")" "$c"
	[ ! -e "$SBX_ROOT/containers/$id" ]
	equal "$(sbx ps -aq --filter "id=$id")" ""
}
