# There is no /dev/fuse.

load ../bats/lib

@test "run works, and says nothing" {
	[ ! -e /dev/fuse ]
	run -0 --separate-stderr sbx run --rm "$box" echo hello
	equal "$output" hello
	equal "$stderr" ""
}

@test "its files can be changed, removed and seen again" {
	sbx run --name "$c" "$box" sh -c 'rm -r /etc /bin/vi && mkdir /etc && echo new >/etc/f' >/dev/null
	equal "$(sbx start -a "$c" 2>&1)" "" || true
	sbx cp "$c:/etc/f" - | tar -xO | grep -x new
	contains "$(sbx diff "$c")" "A /etc/f"
}

@test "thirty at once, of an image that was never unpacked" {
	pids=()
	for i in {1..30}; do
		"$SBX" run --rm "$py" echo "$i" >"out$i" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	equal "$(cat out* | wc -l)" 30
}

@test "doctor says which way images go here" {
	run sbx doctor
	contains "$output" "unpacked"
}
