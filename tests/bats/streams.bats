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

# As systemd starts services, and some runners of CI their jobs.
@test "... also where the caller ignores SIGPIPE" {
	sbx run -d --name "$c" "$box" sh -c 'yes | head -n 100000; exec sleep 100000' >/dev/null
	for words in "1 run --rm $box yes" "141 exec $c yes" "141 logs -f $c"; do
		# shellcheck disable=SC2016,SC2086 # the inner shell's; several words
		run -0 --separate-stderr bash -c 'trap "" PIPE; "$@" | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"' - "$SBX" ${words#* }
		equal "$words: $output" "$words: ${words%% *}"
		[ "$output" = 141 ] || equal "$stderr" "write /dev/stdout: broken pipe"
	done
	sbx rm -f "$c" >/dev/null
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

@test "slow readers of both streams lose nothing" {
	seq 200000 | cksum >wanted
	both_wait() {
		[ "$(sbx exec "$1" sh -c 'cd /proc; for p in $(pidof seq); do cut -d" " -f3 $p/stat; done' |
			tr -d '\n')" = SS ]
	}
	for i in 1 2 3 4; do
		mkfifo "out$i" "err$i"
		"$SBX" run --rm --name "$c-$i" "$box" sh -c 'seq 200000 & seq 200000 >&2; wait' \
			>"out$i" 2>"err$i" 3>&- &
		client=$!
		background+=("$client")
		exec {out}<"out$i" {err}<"err$i"
		eventually both_wait "$c-$i"
		cksum <&"$err" >err.sum 3>&- &
		cksum <&"$out" >out.sum
		wait "$!"
		client_ends
		equal "$status" 0
		cmp out.sum wanted
		cmp err.sum wanted
		exec {out}<&- {err}<&-
	done
}

@test "who does not read keeps nobody from ending the container, and gets the rest later" {
	mkfifo slow
	"$SBX" run --name "$c" "$box" yes >slow 3>&- &
	client=$!
	background+=("$client")
	exec {reader}<slow
	eventually running "$c"
	stopped_writing() { # the container waits for its reader
		[ "$(sbx exec "$c" awk '/^State/ {print $2}' /proc/1/status)" = S ]
	}
	eventually stopped_writing
	timeout 150 "$SBX" kill "$c"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 137"
	sbx logs "$c" | cksum >wanted
	timeout 150 "$SBX" rm -f "$c"
	cksum <&"$reader" >got
	exec {reader}<&-
	client_ends
	equal "$status" 137
	cmp got wanted
}

@test "a signal passes by input that nobody reads, and waits for no reader of the output" {
	needs_static # for --init
	mkfifo full
	(exec yes >full 3>&-) 2>/dev/null &
	background+=("$!")
	input=full behind run --rm --init -i "$box" sh -c 'echo up; exec sleep 100000'
	line
	fed() { # all buffers between the two are full
		equal "$(awk '/^State/ {print $2}' "/proc/${background[0]}/status")" S >/dev/null
	}
	eventually fed
	kill "$client"
	client_ends
	equal "$status" 143

	behind run --rm --init --name "$c" "$box" sh -c 'echo up; exec yes'
	line
	blocked() { # five times in a row, so not only between two writes
		for _ in 1 2 3 4 5; do
			[ "$(sbx exec "$c" sh -c 'cut -d" " -f3 "/proc/$(pidof yes)/stat"')" = S ] || return
		done
	}
	eventually blocked
	kill "$client"
	eventually missing "$c"
	exec {from}<&-
	client_ends
}

@test "input that ends where nobody could take more of it holds up no output" {
	local size
	for ((size = 304; size <= 400; size += 8)); do
		head -c "${size}k" /dev/zero >zeros
		run -0 bash -c '"$0" run --rm -i "$1" sh -c "yes | head -c 3000000; wc -c" <zeros | tail -n 1' \
			"$SBX" "$box"
		equal "$output" $((size * 1024))
	done
}


@test "output that cannot be written is no success, and it is said" {
	run -1 --separate-stderr sh -c '"$0" run --rm "$1" echo hi >/dev/full' "$SBX" "$box"
	equal "$stderr" "write /dev/stdout: no space left on device"
	sbx run -d --name "$c" "$box" sleep 1d >/dev/null
	sbx run --name "$c.out" "$box" echo out >/dev/null
	run -1 --separate-stderr sh -c '"$0" exec "$1" echo hi >/dev/full' "$SBX" "$c"
	equal "$stderr" "write /dev/stdout: no space left on device"
	sbx create --name "$c.2" "$box" true >/dev/null
	for words in ps "ps -q" --version info "inspect $c" "logs $c.out" "events --since 1h" "stats --no-stream $c" \
		"start -a $c.out" "start $c.2" "wait $c.2" "pause $c" "unpause $c" "update --restart no $c" "plan $box" "volume create" \
		"network create $c" "network rm $c" "container prune -f" "create --name $c.3 $box" "run -d $box true" "rm -f $c $c.3"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sh -c 'exec "$0" "$@" >/dev/full' "$SBX" $words
		equal "$words: $stderr" "$words: write /dev/stdout: no space left on device"
	done
	ln -s "$SBX" enroot
	export ENROOT_DATA_PATH=$PWD/e
	./enroot create -n one "$box"
	for words in list "list -f" version --help "list --help"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sh -c 'exec ./enroot "$@" >/dev/full' - $words
		equal "$words: $stderr" "$words: write /dev/stdout: no space left on device"
	done
}

# interrupted ARGS...: signals `sbx ARGS` after it has read or written a part of an endless tar; prints how it ended
interrupted() {
	python3 - "$SBX" "$@" <<'END'
import signal, subprocess, sys, tarfile
words = sys.argv[1:]
writes = words[-1] == "-" and words[1] == "cp" or words[1] in ("save", "export", "stats")
for number in signal.SIGTERM, signal.SIGINT:
    client = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if writes:
        client.stdout.read(1)
    else:
        entry = tarfile.TarInfo("file")
        entry.size = 1 << 32
        client.stdin.write(entry.tobuf() + bytes(1 << 20))
        client.stdin.flush()
    client.send_signal(number)
    client.stdout.read()
    print(client.wait(60), end=" ")
END
}

@test "a command that is interrupted at its work has exited, with 128 and the signal's number" {
	head -c 3000000 /dev/urandom >noise
	tar c noise | sbx import - noise >/dev/null
	sbx run -d --name "$c" "$box" sh -c 'head -c 8000000 /dev/zero >/tmp/zeros; trap "" TERM; echo up; while :; do sleep 1000; done' >/dev/null
	up() { sbx logs "$c" | grep -q up; }
	eventually up
	for words in "load" "import -" "cp - $c:/tmp" "cp $c:/tmp -" "export $c" "save noise" "stats $c"; do
		# shellcheck disable=SC2086 # several words
		equal "$words: $(interrupted $words)" "$words: 143 130 "
	done
	equal "$(sbx exec "$c" ls /tmp)" zeros
	nobody() { sbx exec "$c" true; }
	eventually nobody
}

@test "output waits for the room that it needs in a pipe which was made not to wait" {
	sbx run --name "$c" "$box" seq 1 100000 >all
	sbx export "$c" >tar
	names=()
	for i in {1..60}; do names+=("$c"); done
	cat >read.py <<-'EOF'
		import os, subprocess, sys
		end, start = os.pipe()
		os.set_blocking(start, False)
		client = subprocess.Popen(sys.argv[2:], stdout=start)
		os.close(start)
		with open(end, "rb") as pipe, open(sys.argv[1], "rb") as want:
		    assert pipe.read() == want.read()
		assert client.wait() == 0
	EOF
	python3 read.py all "$SBX" logs "$c"
	python3 read.py all "$SBX" start -a "$c"
	python3 read.py tar "$SBX" export "$c"
	sbx cp "$c:/bin" - >bin
	python3 read.py bin "$SBX" cp "$c:/bin" -
	head -c 3000000 /dev/urandom >noise
	tar c noise | sbx import - noise >/dev/null
	sbx save noise >saved
	python3 read.py saved "$SBX" save noise
	sbx inspect "${names[@]}" >objects
	python3 read.py objects "$SBX" inspect "${names[@]}"
}

# One page at a time, so that a reader is again and again there before the next one.
@test "archives are waited for in a pipe which was made not to wait" {
	mkdir files
	head -c 300000 /dev/urandom >files/noise
	echo small >files/small
	tar -C files -cf plain .
	gzip -k plain
	sbx create --name "$c" "$box" >/dev/null
	sbx import plain small >/dev/null
	sbx save -o saved small
	gzip -k saved
	cat >feed.py <<-'EOF'
		import fcntl, os, subprocess, sys
		end, start = os.pipe()
		os.set_blocking(end, False)
		fcntl.fcntl(end, 1031, 4096)  # F_SETPIPE_SZ
		client = subprocess.Popen(sys.argv[2:], stdin=end)
		os.close(end)
		with open(start, "wb", buffering=0) as pipe, open(sys.argv[1], "rb") as file:
		    while page := file.read(4096):
		        pipe.write(page)
		assert client.wait() == 0
	EOF
	for archive in plain plain.gz; do
		python3 feed.py $archive "$SBX" cp - "$c:/tmp"
		sbx cp "$c:/tmp/noise" noise
		cmp noise files/noise
		rm noise
		python3 feed.py $archive "$SBX" import - fed >/dev/null
		sbx create --name "$c.$archive" fed true >/dev/null
		sbx cp "$c.$archive:/noise" noise
		cmp noise files/noise
		rm noise
	done
	for archive in saved saved.gz; do
		contains "$(python3 feed.py $archive "$SBX" load)" "Loaded image"
	done
}
