# Store and image are at $PLACE, on a file system of the kind $KIND.

load ../bats/lib

setup_file() {
	own_store
	export SBX_ROOT=$PLACE/d BOX=$PLACE/busybox.sqsh
	cp "$SBX_IMAGES/busybox.sqsh" "$PLACE"
}

setup() {
	c=t$BATS_TEST_NUMBER
	box=$BOX
	cd "$BATS_TEST_TMPDIR"
}

@test "run, and nothing else is said; what the image has can be removed, what is written can be executed" {
	run -0 --separate-stderr sbx run --rm "$box" \
		sh -c 'rm -r /var /root && mkdir /n /var && cp /bin/busybox /n/echo && exec /n/echo works'
	equal "$output" works
	equal "$stderr" ""
}

@test "a container keeps its files, and can be seen into, copied from and removed" {
	sbx import "$box" "base$c" >/dev/null
	sbx run -d --name "$c" "base$c" sh -c 'echo kept >/f; exec sleep 100000' >/dev/null
	eventually eval '[ "$(sbx exec "$c" cat /f)" = kept ]'
	sbx rename "$c" "$c.b"
	sbx stop -t 0 "$c.b"
	contains "$(sbx diff "$c.b")" "A /f"
	equal "$(sbx cp "$c.b:/f" - | tar -xO)" kept
	sbx start "$c.b"
	equal "$(sbx exec "$c.b" cat /f)" kept
	sbx rm -f "$c.b"
	sbx rmi "base$c"
}

@test "a volume, and a directory of it with -v" {
	mkdir -p "$PLACE/dir" && echo there >"$PLACE/dir/f"
	equal "$(sbx run --rm -v "$PLACE/dir:/m" -v "v$c:/v" "$box" sh -c 'cat /m/f; echo x >/v/x; cat /v/x')" $'there\nx'
	equal "$(sbx run --rm -v "v$c:/v" "$box" cat /v/x)" x
	sbx volume rm "v$c"
}

@test "eight at once, of one name one wins" {
	pids=()
	for i in {1..8}; do
		"$SBX" run --rm "$box" echo "$i" >"out$i" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	equal "$(cat out* | sort | tr -d '\n')" 12345678
	pids=() won=0
	for i in {1..8}; do
		"$SBX" create --name "$c" "$box" true >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		! wait "$pid" || won=$((won + 1))
	done
	equal "$won" 1
	sbx rm "$c"
}

@test "kill -9 of the supervisor, and of the image server: the next commands repair" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	end_server KILL
	equal "$(sbx exec "$c" cat /bin/busybox | cksum)" "$(sbx run --rm "$box" cat /bin/busybox | cksum)"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")"
	equal "$(sbx wait "$c")" 137
	sbx rm "$c"
}
