load lib

@test "the container never holds the caller's own output or terminal" {
	run -0 sbx run --rm "$box" sh -c 'readlink /proc/self/fd/1; readlink /proc/self/fd/2; readlink /proc/self/fd/0'
	for link in "${lines[@]}"; do
		[[ $link =~ ^(pipe:|/dev/null|socket:) ]]
	done
	sbx run --rm "$box" sh -c 'readlink /proc/self/fd/1' >file
	[[ $(cat file) == pipe:* ]]
}

@test "nothing but the three streams is open inside" {
	exec 7<lib.bash 2>/dev/null || exec 7</etc/passwd
	equal "$(sbx run --rm "$box" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx exec "$c" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	exec 7<&-
}

@test "-i with a file, a pipe, and nothing" {
	seq 1000 >numbers
	equal "$(sbx run --rm -i "$box" wc -l <numbers)" 1000
	equal "$(seq 1000 | sbx run --rm -i "$box" wc -l)" 1000
	equal "$(sbx run --rm -i "$box" wc -c </dev/null)" 0
}

@test "ten megabytes through, both ways, unchanged" {
	head -c 10000000 /dev/urandom >bytes
	sbx run --rm -i "$box" cat <bytes >copy
	cmp copy bytes
}

@test "a reader who leaves early ends the writer" {
	run -0 --separate-stderr bash -c '"$0" run --rm "$1" yes | head -n 1' "$SBX" "$box"
	equal "$output" y
}

@test "a command that does not read its input lets the writer go" {
	run -0 bash -c 'yes | "$0" run --rm -i "$1" echo good' "$SBX" "$box"
	contains "$output" good
}

@test "output just before the end is complete" {
	for i in 1 2 3 4 5 6 7 8 9 10; do
		equal "$(sbx run --rm "$box" sh -c 'seq 2000; echo last' | tail -n 1)" last
	done
}

@test "a grandchild that keeps the output open does not keep the client" {
	run -0 sbx run --rm "$box" sh -c 'sleep 100000 & echo x'
	equal "$output" x
}

@test "an exec ends although its background child keeps the output" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	nap=$(a_nap)
	run -0 timeout 150 "$SBX" exec "$c" sh -c "sleep $nap & echo x"
	equal "$output" x
	eventually sleeps "$nap"
}

@test "-a chooses the streams" {
	run -0 --separate-stderr sbx run --rm -a stdout "$box" sh -c 'echo out; echo err >&2'
	equal "$output" out
	equal "$stderr" ""
	run -0 --separate-stderr sbx run --rm -a stderr "$box" sh -c 'echo out; echo err >&2'
	equal "$output" ""
	equal "$stderr" err
}

@test "closed standard streams of the caller do no harm" {
	sbx run --name "$c" "$box" sh -c 'echo out' <&- >&- 2>&-
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 0
}

@test "a full pipe of a slow reader holds the command back and loses nothing" {
	mkfifo slow
	"$SBX" run --rm "$box" seq 100000 >slow 3>&- &
	background+=($!)
	exec {reader}<slow
	read -ru "$reader" first
	equal "$first" 1
	equal "$(tail -n 1 <&"$reader")" 100000
	exec {reader}<&-
}

@test "output that cannot be written is no success, and it is said" {
	run -1 --separate-stderr sh -c '"$0" run --rm "$1" echo hi >/dev/full' "$SBX" "$box"
	equal "$stderr" "write /dev/stdout: No space left on device"
	sbx run -d --name "$c" "$box" sleep 1d >/dev/null
	run -1 --separate-stderr sh -c '"$0" exec "$1" echo hi >/dev/full' "$SBX" "$c"
	equal "$stderr" "write /dev/stdout: No space left on device"
	run -1 --separate-stderr sh -c '"$0" ps >/dev/full' "$SBX"
	equal "$stderr" "write /dev/stdout: No space left on device"
}
