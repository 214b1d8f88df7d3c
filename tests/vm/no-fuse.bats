# There is no /dev/fuse.

load ../bats/lib

@test "run works, and says nothing" {
	[ ! -e /dev/fuse ]
	run -0 --separate-stderr sbx run --rm "$box" echo hello
	equal "$output" hello
	equal "$stderr" ""
}

@test "its files can be changed, removed and seen again" {
	sbx run --name "$c" "$box" sh -c 'rm -r /var /bin/vi && mkdir /new && echo new >/new/f' >/dev/null
	sbx cp "$c:/new/f" - | tar -xO | grep -x new
	contains "$(sbx diff "$c")" "A /new/f"
	contains "$(sbx diff "$c")" "D /var"
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
