load lib

@test "logs repeats output and error on their own streams" {
	sbx run --name "$c" "$box" sh -c 'echo out; echo err >&2' >/dev/null 2>&1
	run -0 --separate-stderr sbx logs "$c"
	equal "$output" out
	equal "$stderr" err
}

@test "logs of a detached container" {
	sbx run -d --name "$c" "$box" sh -c 'echo one; echo two' >/dev/null
	sbx wait "$c" >/dev/null
	equal "$(sbx logs "$c")" $'one\ntwo'
}

@test "--tail shows the end" {
	sbx run --name "$c" "$box" seq 20 >/dev/null
	equal "$(sbx logs --tail 2 "$c")" $'19\n20'
	equal "$(sbx logs -n 0 "$c")" ""
	equal "$(sbx logs --tail all "$c" | wc -l)" 20
}

@test "-f follows until the end" {
	sbx run -d --name "$c" "$box" sh -c 'echo one; while [ ! -e /go ]; do usleep 20000; done; echo two' >/dev/null
	behind logs -f "$c"
	line
	equal "$REPLY" one
	sbx exec "$c" touch /go || true # it may end with the container
	line
	equal "$REPLY" two
	client_ends
	equal "$status" 0
}

@test "-f follows until the end, also if the runtime files are gone" {
	id=$(sbx run -d --name "$c" "$box" sh -c 'echo one; while [ ! -e /go ]; do usleep 20000; done; echo two')
	rm "$SBX_RUNTIME/c/$id."*
	behind logs -f "$c"
	line
	equal "$REPLY" one
	sbx exec "$c" touch /go || true # it may end with the container
	line
	equal "$REPLY" two
	client_ends
	equal "$status" 0
	ended "$c"
}

@test "-t puts the time before each line" {
	sbx run --name "$c" "$box" echo x >/dev/null
	[[ $(sbx logs -t "$c") =~ ^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]+Z\ x$ ]]
}

@test "--since and --until cut by time" {
	sbx run --name "$c" "$box" echo x >/dev/null
	equal "$(sbx logs --since 1h "$c")" x
	equal "$(sbx logs --until 1h "$c")" ""
	equal "$(sbx logs --since 2001-01-01T00:00:00Z "$c")" x
}

@test "the log is docker's JSON lines" {
	sbx run --name "$c" "$box" sh -c 'printf "%s\n" "a\"b\\"; printf end' >/dev/null
	path=$(sbx inspect -f '{{.LogPath}}' "$c")
	python3 - "$path" <<-'PY'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		assert "".join(r["log"] for r in rows) == 'a"b\\\nend', rows
		assert all(r["stream"] == "stdout" and r["time"].endswith("Z") for r in rows)
	PY
}

@test "ten megabytes are all there" {
	sbx run --name "$c" "$box" sh -c 'seq 1500000' | md5sum >direct
	equal "$(sbx logs "$c" | md5sum)" "$(cat direct)"
}

@test "bytes that are no text come back" {
	sbx run --name "$c" "$box" sh -c "printf '\\001\\002\\r\\n\\t\\033[0m'" >direct
	sbx logs "$c" | cmp - direct
}

@test "logs of a missing container is 1" {
	run -1 --separate-stderr sbx logs "$c-none"
	contains "$stderr" "No such container: $c-none"
}

@test "a driver that hands the log on is kept, and refused at the start" {
	sbx create --name "$c" --log-driver syslog --log-opt syslog-address=udp://127.0.0.1:514 "$box" touch /never
	run -1 --separate-stderr sbx start "$c"
	[[ $stderr == *"failed to initialize logging driver: sbx writes no logs to syslog: "* ]]
	[ "$(sbx inspect -f '{{.State.ExitCode}} {{.State.Running}}' "$c")" = "128 false" ]
	run -1 --separate-stderr sbx logs "$c"
	[ "$stderr" = "Error response from daemon: configured logging driver does not support reading" ]
}

@test "--log-driver none keeps nothing" {
	sbx run --name "$c" --log-driver none "$box" echo x
	run --separate-stderr sbx logs "$c"
	equal "$output" ""
}

@test "a container started again goes on in the same log" {
	sbx create --name "$c" "$box" echo x >/dev/null
	sbx start -a "$c"
	sbx start -a "$c"
	equal "$(sbx logs "$c")" $'x\nx'
}

@test "however many files a log may have, only those that are there are looked at" {
	sbx run --name "$c" --log-opt max-size=1k --log-opt max-file=2000000000 "$box" seq 1 200 >/dev/null
	equal "$(sbx logs "$c")" "$(seq 1 200)"
}
