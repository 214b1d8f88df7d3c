load lib

@test "wait blocks until the end and prints the status" {
	sbx run -d -i --name "$c" "$box" sh -c 'while [ ! -e /go ]; do usleep 20000; done; exit 5' >/dev/null
	behind wait "$c"
	sbx exec "$c" touch /go || true # it may end with the container
	line
	equal "$REPLY" 5
	client_ends
	equal "$status" 0
}

@test "wait of what has ended says at once how" {
	run -3 sbx run --name "$c" "$box" sh -c 'exit 3'
	equal "$(sbx wait "$c")" 3
}

@test "wait takes several, in the order given" {
	for i in 4 5 6; do
		run "-$i" sbx run --name "$c-$i" "$box" sh -c "exit $i"
	done
	equal "$(sbx wait "$c-6" "$c-4" "$c-5")" $'6\n4\n5'
}

@test "wait learns the status of a container which --rm takes away" {
	sbx run -d --rm --name "$c" "$box" sh -c 'while [ ! -e /go ]; do usleep 20000; done; exit 7' >/dev/null
	behind wait "$c"
	eventually grep -qE -e "-> FLOCK .* $client " /proc/locks
	sbx exec "$c" touch /go || true # it may end with the container
	line
	equal "$REPLY" 7
	eventually missing "$c"
}

@test "ten wait for one" {
	sbx run -d --name "$c" "$box" sh -c 'while [ ! -e /go ]; do usleep 20000; done; exit 2' >/dev/null
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sbx wait "$c" >"out$i" 3>&- &
		background+=($!)
	done
	sbx exec "$c" touch /go || true # it may end with the container
	for pid in "${background[@]}"; do
		wait "$pid"
	done
	equal "$(cat out* | sort -u)" 2
}

@test "wait tells how it ended while its supervisor waits for a client that is stopped" {
	mkfifo out
	exec {never}<>out
	"$SBX" run --name "$c" --restart unless-stopped "$box" sh -c 'trap "exit 6" TERM; yes & wait' >out 3>&- &
	client=$!
	background+=("$client")
	eventually running "$c"
	kill -STOP "$client"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	supervisor=$(ps -o ppid= -p "$pid" | tr -d ' ')
	eventually sleep_both "$(pgrep -P "$pid")" "$supervisor"
	sbx stop "$c" >/dev/null
	kill -0 "$supervisor" # it has still to tell its client of the last output
	equal "$(sbx wait "$c")" 6
	kill -9 "$client"
}

# The one cannot write any more, and the other does not read.
sleep_both() {
	local pid
	for pid in "$@"; do
		[ "$(awk '/^State/ { print $2 }' "/proc/$pid/status")" = S ] || return
	done
}

@test "wait of a missing container is 1" {
	run -1 --separate-stderr sbx wait "$c-none"
	contains "$stderr" "No such container: $c-none"
}

# Tested with python, as a shell cannot tell the two apart.
@test "a client that waits exits by a signal, it does not die of it" {
	sbx run -d --name "$c" "$box" sh -c 'trap : TERM; echo up; while :; do usleep 50000; done' >/dev/null
	eventually logged
	python3 - "$SBX" "$c" <<-'END'
		import signal, subprocess, sys, time
		sbx, name = sys.argv[1:]

		def waits(pid):
		    with open("/proc/%d/status" % pid) as f:
		        caught = [int(line.split()[1], 16) for line in f if line.startswith("SigCgt")][0]
		    return caught >> (signal.SIGTERM - 1) & 1 and caught >> (signal.SIGINT - 1) & 1
		for words in (["wait", name], ["logs", "-f", name], ["events"], ["stop", "-t", "1000", name]):
		    for signo in (signal.SIGINT, signal.SIGTERM):
		        p = subprocess.Popen([sbx] + words, stdout=subprocess.DEVNULL)
		        while not waits(p.pid):
		            assert p.poll() is None
		        p.send_signal(signo)
		        assert p.wait() == 128 + signo, (words, p.returncode)
	END
	running "$c"
}

logged() {
	[ "$(sbx logs "$c")" = up ]
}

@test "wait tells why a container never ran, and of a second start that failed" {
	run -127 sbx run --name "$c" "$box" /no/such
	sbx wait --result result "$c"
	python3 - <<-'END'
		import json
		r = json.load(open("result"))
		assert (r["exit_code"], r["signal"], r["reason"]) == (127, None, "setup-error"), r
		assert "/no/such" in r["error"], r
	END
	equal "$(sbx inspect -f '{{.State.Error}}' "$c")" "$(python3 -c 'import json; print(json.load(open("result"))["error"])')"
	# docker's client exits with 125, while its container's exit code is 128
	run -125 sbx run --name "$c-1" --result result -v "$PWD:/proc/x" "$box" true
	equal "$(python3 -c 'import json; r = json.load(open("result")); print(r["exit_code"], r["reason"])')" "125 setup-error"
	equal "$(sbx wait --result result "$c-1") $(sbx inspect -f '{{.State.ExitCode}}' "$c-1")" "128 128"
	equal "$(python3 -c 'import json; r = json.load(open("result")); print(r["exit_code"], r["reason"])')" "128 setup-error"
	sbx run --name "$c-2" "$box" sh -c 'rm /bin/sh'
	run -1 sbx start "$c-2"
	sbx wait --result result "$c-2"
	equal "$(python3 -c 'import json; print(json.load(open("result"))["reason"])')" setup-error
	contains "$(sbx inspect "$c-2")" '"reason": "setup-error"'
}

@test "the exit code of a container with --rm is known, also if its runtime files are gone" {
	id=$(sbx run -d --rm --name "$c" "$box" sleep 100000)
	rm "$SBX_RUNTIME/c/$id."*
	behind wait "$c"
	eventually test -d "$SBX_RUNTIME/gone"
	kill -KILL "$(sbx inspect -f '{{.State.Pid}}' "$c")"
	line
	equal "$REPLY" 137
}
