load lib

# Something that leaves a descriptor open makes the table of 64 grow if it is done seventy times; and tables never
# shrink. Which descriptors a process has, nobody else may see, but the size of its table is in its status.

teardown() {
	end_background
}

# lengths: prints PID COMM LENGTH of all our processes that live longer than a command
lengths() {
	local pid
	for pid in $(ours); do
		awk '/^Name:/ { name = $2 } /^Pid:/ { pid = $2 } /^FDSize:/ { print pid, name, $2 }' \
			"/proc/$pid/status" 2>/dev/null
	done | sort
}

# longer BEFORE AFTER: prints those whose table has grown
longer() {
	awk 'NR == FNR { before[$1 " " $2] = $3; next } ($1 " " $2) in before && $3 > before[$1 " " $2]' "$1" "$2"
}

# often COMMAND: after seventy more times, no table is larger than after the first
often() {
	local n
	"$@" || return
	lengths >before
	for ((n = 0; n < 70; n++)); do
		"$@" || return
	done
	stayed
}

stayed() {
	lengths >after
	[ -n "$(join -j 1 before after)" ] || { echo "nobody was there all the time"; return 1; }
	equal "$(longer before after)" ""
}

@test "descriptors: a supervisor after seventy execs, and as many that fail" {
	sbx run -d --name "$c" "$box" sleep 1d >/dev/null
	one() {
		echo x | sbx exec -i "$c" cat >/dev/null && ! sbx exec "$c" no-such-program >/dev/null 2>&1
	}
	often one
}

@test "descriptors: the image server after seventy containers" {
	sbx run -d --name "$c" "$box" sleep 1d >/dev/null # keeps the server
	cp "$box" other.sqsh
	one() {
		sbx run --rm -v "$PWD:/v" --tmpfs /t other.sqsh true
	}
	often one
	contains "$(cat before)" sbx-layers
}

@test "descriptors: a server of the API after seventy clients, and as many that vanish" {
	sbx run -d --name "$c" "$box" sleep 1d >/dev/null
	"$SBX" serve -H "unix://$PWD/s" 2>log 3>&- &
	background+=($!)
	eventually test -S s
	cat >client.py <<-'END'
		import http.client, json, socket, sys
		def ask(method, path, body=None):
		    c = http.client.HTTPConnection("x")
		    c.sock = socket.socket(socket.AF_UNIX)
		    c.sock.connect("s")
		    c.request(method, path, body and json.dumps(body), {"Content-Type": "application/json"})
		    r = c.getresponse()
		    return r.status, r.read()
		for _ in range(int(sys.argv[2])):
		    status, text = ask("POST", "/containers/%s/exec" % sys.argv[1], {"Cmd": ["true"], "AttachStdout": True})
		    assert status == 201, text
		    status, text = ask("POST", "/exec/%s/start" % json.loads(text)["Id"], {})
		    assert status == 200, text
		    s = socket.socket(socket.AF_UNIX)
		    s.connect("s")
		    s.send(b"GET /containers/json HTTP/1.1\r\nContent-Le")  # and closes
	END
	python3 client.py "$c" 1
	lengths >before
	python3 client.py "$c" 70
	stayed
}

@test "descriptors: a pool of python after seventy clients" {
	"$SBX" eval --listen unix:s --timeout 50 "$py" 2>log 3>&- &
	background+=($!)
	eventually grep -q "^listening on" log
	cat >client.py <<-'END'
		import json, socket, sys
		for n in range(int(sys.argv[1])):
		    s = socket.socket(socket.AF_UNIX)
		    s.connect("s")
		    f = s.makefile("rw")
		    f.write(json.dumps({"code": ("print(1)", "import os; os._exit(3)")[n % 2]}) + "\n")
		    f.flush()
		    assert "stdout" in json.loads(f.readline())
	END
	python3 client.py 1
	lengths >before
	python3 client.py 70
	stayed
	kill "${background[0]}"
	wait "${background[0]}" || true
}
