load lib

setup_file() {
	own_store
	# docker-compose 1 takes some seconds each time, and is called ten times
	export BATS_TEST_TIMEOUT=$((4 * BATS_TEST_TIMEOUT))
	sbx import -c 'CMD ["sh"]' "$box" box:latest >/dev/null
	serve
}

serve() {
	export DOCKER_HOST=unix://$SBX_RUNTIME/docker.sock
	"$SBX" serve 2>"$BATS_FILE_TMPDIR/serve.log" 3>&- &
	echo $! >"$BATS_FILE_TMPDIR/serve.pid"
	eventually test -S "$SBX_RUNTIME/docker.sock"
}

setup() {
	c=t$BATS_TEST_NUMBER
	DOCKER_HOST=unix://$SBX_RUNTIME/docker.sock
	export DOCKER_HOST
	cd "$BATS_TEST_TMPDIR" || return
}

teardown_file() {
	kill "$(cat "$BATS_FILE_TMPDIR/serve.pid")"
	sbx ps -aq | xargs -r "$SBX" rm -fv >/dev/null
	nothing_left
}

py() {
	python3 -c 'import docker' 2>/dev/null || lacking "python3-docker"
	python3 "$BATS_TEST_DIRNAME/../api/$1.py" "$c" "${@:2}"
}

# http PATH [METHOD [BODY]]: sends a request; prints the status and the body of the answer
http() {
	python3 - "$SBX_RUNTIME/docker.sock" "$1" "${2:-GET}" "${3-}" <<-'END'
		import http.client, socket, sys
		c = http.client.HTTPConnection("x")
		c.sock = socket.socket(socket.AF_UNIX)
		c.sock.connect(sys.argv[1])
		c.request(sys.argv[3], sys.argv[2], sys.argv[4] or None, {"Content-Type": "application/json"} if sys.argv[4] else {})
		r = c.getresponse()
		print(("%d %s" % (r.status, r.read().decode())).strip())
	END
}

# raw TEXT: sends these bytes; prints the answer
raw() {
	python3 - "$SBX_RUNTIME/docker.sock" "$1" <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		try:
		    s.sendall(sys.argv[2].encode().decode("unicode_escape").encode("latin-1"))
		    s.shutdown(socket.SHUT_WR)
		except OSError:
		    pass
		print(s.recv(4096).decode().split("\r\n")[0])
	END
}

@test "what is no JSON is refused in Go's words, and a lone string is a list where docker reads one" {
	equal "$(http /containers/create POST '{"Image":"box",}')" \
		"400 {\"message\":\"invalid JSON: invalid character '}' looking for beginning of object key string\"}"
	equal "$(http /volumes/create POST '{')" '400 {"message":"invalid JSON: unexpected EOF"}'
	equal "$(http /networks/create POST '{} {}')" '400 {"message":"unexpected content after JSON"}'
	contains "$(raw 'POST /volumes/create HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"Name":')" "400 Bad Request"
	# halves of surrogate pairs, which python writes, and bytes that are no UTF-8
	contains "$(http "/containers/create?name=$c" POST '{"Image":"box","Cmd":["a\udcff\ud83d\ude00"]}')" "201 "
	equal "$(sbx inspect -f '{{json .Config.Cmd}}' "$c")" '["a�😀"]'
	sbx rm "$c" >/dev/null
	contains "$(raw 'POST /volumes/create HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 25\r\n\r\n{"Name":"a","Driver":"\xff"}')" "404 Not Found"
	contains "$(http "/containers/create?name=$c" POST '{"Image":"box","Cmd":"true","HostConfig":{"CapAdd":"NET_ADMIN","CapDrop":"ALL"}}')" "201 "
	equal "$(sbx inspect -f '{{.Config.Cmd}} {{.HostConfig.CapAdd}} {{.HostConfig.CapDrop}}' "$c")" "[true] [NET_ADMIN] [ALL]"
	sbx rm "$c" >/dev/null
	sbx run -d --name "$c" box sleep 100000 >/dev/null
	contains "$(http "/containers/$c/exec" POST '{"Cmd":"true"}')" "cannot unmarshal string into Go struct field ExecOptions.Cmd of type []string"
	contains "$(http "/containers/$c/exec" POST '{"Cmd":["true"]}')" "201 "
}

@test "docker-py: containers from create to remove" {
	py containers
}

@test "docker-py: exec in all its forms" {
	py exec
}

@test "docker-py: who follows a log misses nothing, however soon the container is removed" {
	py logs "$(cat "$BATS_FILE_TMPDIR/serve.pid")"
}

@test "docker-py: images" {
	py images
}

@test "docker-py: what other people's clients lean on" {
	py peers
}

@test "docker-py: what the daemon refuses, and what it makes of docker's client" {
	py refusals
}

@test "docker-py: filters that are set to false, or have no values" {
	py filters
}

@test "docker-py: files, volumes, networks" {
	py files
}

@test "an archive whose packer died is no whole one" {
	sbx run --name "$c" "$box" sh -c 'head -c 100000000 /dev/zero >/big' >/dev/null
	run -0 python3 - "$SBX_RUNTIME/docker.sock" "$c" "$(cat "$BATS_FILE_TMPDIR/serve.pid")" <<-'END'
		import http.client, os, signal, socket, sys
		def read(path):
		    try:
		        return open(path).read()
		    except OSError: # it has ended
		        return ""
		def below(pid):
		    for child in read("/proc/%s/task/%s/children" % (pid, pid)).split():
		        yield child
		        yield from below(child)
		for what in "archive?path=/big", "export":
		    c = http.client.HTTPConnection("x")
		    c.sock = socket.socket(socket.AF_UNIX)
		    c.sock.connect(sys.argv[1])
		    c.request("GET", "/containers/%s/%s" % (sys.argv[2], what))
		    r = c.getresponse()
		    assert r.status == 200 and len(r.read(1000)) == 1000
		    workers = [p for p in below(sys.argv[3]) if read("/proc/%s/comm" % p) == "sbx-files\n"]
		    assert workers
		    for pid in workers:
		        os.kill(int(pid), signal.SIGKILL)
		    try:
		        while r.read(65536):
		            pass
		        print(what, "looks whole")
		    except http.client.IncompleteRead:
		        print("is not whole")
		    c.close()
	END
	equal "$output" $'is not whole\nis not whole'
	sbx rm "$c"
}

@test "docker-py: eight instances of a benchmark at once" {
	py instances
}

@test "the command line and the API see the same containers at once" {
	sbx run -d --name "$c" box sleep "$(a_nap)" >/dev/null
	contains "$(http "/containers/$c/json")" '"Running":true'
	equal "$(http "/containers/$c/kill" POST)" 204
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 137
	equal "$(http "/containers/$c" DELETE)" 204
	missing "$c"
}

@test "a container outlives the server that started it, and the next server knows it" {
	local nap
	nap=$(a_nap)
	"$SBX" serve -H "unix://$PWD/sock" 2>/dev/null 3>&- &
	background+=($!)
	eventually test -S sock
	sbx create --name "$c" box sleep "$nap" >/dev/null
	python3 - "$PWD/sock" "$c" <<-'END'
		import http.client, socket, sys
		c = http.client.HTTPConnection("x")
		c.sock = socket.socket(socket.AF_UNIX)
		c.sock.connect(sys.argv[1])
		c.request("POST", "/containers/%s/start" % sys.argv[2])
		assert c.getresponse().status == 204
	END
	kill -9 "${background[-1]}"
	eventually sleeps "$nap"
	contains "$(http "/containers/$c/json")" '"Running":true'
	sbx rm -f "$c"
}

# $server, which has the socket $socket and whose command reads `told`, is killed: then the next one removes what it left.
killed_and_swept() {
	kill -9 "$server"
	wait "$server" || true
	echo >told
	# not at once, perhaps: a process that was just forked for a connection has the socket, too
	swept() {
		sbx serve -- true
		[ ! -e "${socket%/*}" ]
	}
	eventually swept
}

@test "what a killed serve -- COMMAND leaves is removed by the next" {
	mkfifo told
	"$SBX" serve -- sh -c 'echo "$DOCKER_HOST" >told; read -r _ <told' 3>&- &
	server=$!
	background+=("$server")
	read -r host <told
	socket=${host#unix://}
	[ -S "$socket" ]
	sbx serve -- true
	[ -S "$socket" ]
	killed_and_swept
}

# The path of a socket cannot be that long.
@test "what a killed serve -- COMMAND leaves in /tmp is removed by the next, whatever its runtime directory" {
	long=$PWD/$(printf 'l%.0s' {1..100})
	mkdir -m 700 "$long"
	mkfifo told
	SBX_RUNTIME=$long "$SBX" serve -- sh -c 'echo "$DOCKER_HOST" >told; read -r _ <told' 3>&- &
	server=$!
	background+=("$server")
	read -r host <told
	socket=${host#unix://}
	contains "$socket" /tmp/sbx-serve-
	sbx serve -- true
	[ -S "$socket" ]
	killed_and_swept
}

@test "serve -- COMMAND gives it a socket of its own and ends with its status" {
	# shellcheck disable=SC2016
	run -7 sbx serve -- sh -c 'echo "$DOCKER_HOST"; test -S "${DOCKER_HOST#unix://}" && exit 7'
	[ ! -e "${output#unix://}" ]
	PATH=/usr/bin:/bin run -127 sbx serve -- nosuch-command
	mkdir locked bin
	echo >bin/here-it-is
	chmod 0 locked
	PATH=$PWD/locked:/usr/bin:/bin run -127 sbx serve -- nosuch-command # as sh has it
	contains "$output" "nosuch-command: No such file"
	PATH=$PWD/locked:$PWD/bin:/usr/bin:/bin run -126 sbx serve -- here-it-is
	contains "$output" "here-it-is: Permission denied"
	chmod 700 locked
}

@test "serve --idle-exit ends when nobody is there" {
	sbx serve -H "unix://$PWD/sock" --idle-exit 100ms
	[ ! -e sock ]
}

@test "the socket is its owner's alone" {
	equal "$(stat -c %a "$SBX_RUNTIME/docker.sock")" 600
}

@test "two servers do not take one socket; what a dead one left is taken over" {
	run -1 sbx serve -H "unix://$SBX_RUNTIME/docker.sock"
	contains "$output" "another server listens there"
	"$SBX" serve -H "unix://$PWD/sock" 2>/dev/null 3>&- &
	background+=($!)
	eventually test -S sock
	kill -9 $! && wait $! || true
	sbx serve -H "unix://$PWD/sock" --idle-exit 10ms
}

@test "versions: those from 1.24 are spoken, others refused in docker's words" {
	contains "$(http /v1.24/_ping)" "200 OK"
	contains "$(http /v1.50/_ping)" "200 OK"
	contains "$(http /_ping)" "200 OK"
	contains "$(http /v1.23/info)" "client version 1.23 is too old"
	contains "$(http /v1.99/info)" "client version 1.99 is too new"
	contains "$(http /v9.99/info)" '400 {"message":"client version 9.99 is too new. Maximum supported API version is 1.50"}'
	contains "$(http /v1/info)" '400 {"message":"client version 1 is too old'
	contains "$(http /v1.50.1/info)" '400 {"message":"client version 1.50.1 is too new'
	equal "$(http /v01.050/_ping)" "200 OK"
	local path
	for path in /nosuch /v9.99/nosuch /vx/info /v1.x/info /v1.50/v1.50/info /v1.50 /info/; do
		equal "$(http $path)" '404 {"message":"page not found"}'
	done
}

# "docker images NAME" of old clients, and what they tell an image without a name from others by
@test "a listing of images knows the words of clients before 1.41 and 1.43" {
	sbx tag box "$c:v"
	contains "$(http "/v1.40/images/json?filter=$c")" "\"RepoTags\":[\"$c:v\"]"
	equal "$(http "/v1.40/images/json?filter=no$c")" "200 []"
	contains "$(http "/v1.41/images/json?filter=no$c")" "\"$c:v\""
	sbx rmi "$c:v" >/dev/null
	sbx create --name "$c" box true >/dev/null
	sbx commit "$c" >/dev/null
	local none='"RepoDigests":["<none>@<none>"],"RepoTags":["<none>:<none>"]' filters='filters={%22dangling%22:[%22true%22]}'
	contains "$(http "/v1.42/images/json?$filters")" "$none"
	contains "$(http "/v1.43/images/json?$filters")" '"RepoDigests":[],"RepoTags":[]'
	sbx rm "$c" >/dev/null
	sbx image prune -f >/dev/null
}

@test "the configuration that goes with a commit is taken as that of a create" {
	sbx create --name "$c" box true >/dev/null
	contains "$(http "/commit?container=$c&repo=$c" POST '{"Cmd":"echo","Entrypoint":"sh","Shell":"ash","Labels":{"a":null}}')" "201 "
	equal "$(sbx image inspect -f '{{json .Config.Cmd}} {{json .Config.Entrypoint}} {{json .Config.Shell}} {{json .Config.Labels}}' "$c")" \
		'["echo"] ["sh"] ["ash"] {"a":""}'
	local wrong
	for wrong in '"Env":{}' '"Volumes":[]' '"Volumes":{"/x":1}' '"Healthcheck":{"Interval":"1s"}' '"Tty":"x"'; do
		contains "$(http "/commit?container=$c" POST "{$wrong}")" "400 {\"message\":\"invalid JSON: json: cannot unmarshal "
	done
	sbx rm "$c" >/dev/null
	sbx rmi "$c" >/dev/null
}

@test "of a network's addresses what is empty was not asked for" {
	contains "$(http /networks/create POST '{"Name":"'"$c"'","IPAM":{"Driver":null,"Config":[{"Subnet":"10.94.0.0/24",
		"IPRange":null,"Gateway":"","AuxiliaryAddresses":null,"Other":1}]}}')" "201 "
	contains "$(http "/networks/$c")" '"IPAM":{"Driver":"default","Options":null,"Config":[{"Subnet":"10.94.0.0/24"}]}'
	sbx network rm "$c" >/dev/null
}

@test "what nobody asked of system/df is there, and empty" {
	equal "$(http "/system/df?type=build-cache" | sed 's/^200 //')" \
		'{"LayersSize":0,"Images":null,"Containers":null,"Volumes":null,"BuildCache":[]}'
}

@test "stats of a container that does not run are of no moment" {
	sbx create --name "$c" box true >/dev/null
	contains "$(http "/containers/$c/stats?stream=0")" '"read":"0001-01-01T00:00:00Z","preread":"0001-01-01T00:00:00Z"'
	sbx rm "$c" >/dev/null
}

# refused STATUS WORDS BODY: a container made with BODY (JSON without its braces) cannot be started, with this answer
refused() {
	equal "$(http "/containers/create?name=$c" POST "{\"Image\":\"box\",\"Cmd\":[\"true\"],$3}" | cut -d ' ' -f 1)" 201
	local said
	said=$(http "/containers/$c/start" POST)
	equal "${said%% *}" "$1"
	contains "$said" "$2"
	http "/containers/$c" DELETE
}

@test "what keeps a container from starting is docker's 500, and what the runtime says of files its 400" {
	refused 500 "Unable to find group nog: no matching entries in group file" '"HostConfig":{"GroupAdd":["nog"]}'
	refused 500 "unable to find group nog: no matching entries in group file" '"User":"root:nog"'
	refused 500 "unable to find user nou: no matching entries in passwd file" '"User":"nou"'
	refused 500 "uids and gids must be in range" '"User":"99999999999"'
	refused 500 'custom device \"/dev/nosuch\": no such file or directory' '"HostConfig":{"Devices":[{"PathOnHost":"/dev/nosuch","PathInContainer":"/dev/x"}]}'
	refused 500 'custom device \"/etc/passwd\": not a device node' '"HostConfig":{"Devices":[{"PathOnHost":"/etc/passwd","PathInContainer":"/dev/x"}]}'
	refused 500 'could not select device driver \"nosuch\"' '"HostConfig":{"DeviceRequests":[{"Driver":"nosuch","Count":1}]}'
	refused 500 'invalid tmpfs option' '"HostConfig":{"Tmpfs":{"/x":"bogus=1"}}'
	refused 500 'RLIMIT_BOGUS' '"HostConfig":{"Ulimits":[{"Name":"bogus","Soft":1,"Hard":1}]}'
	refused 500 'error setting rlimit type 7: invalid argument' '"HostConfig":{"Ulimits":[{"Name":"nofile","Soft":10,"Hard":1}]}'
	refused 500 'Decoding seccomp profile failed: ' '"HostConfig":{"SecurityOpt":["seccomp={"]}'
	refused 500 'is inside /proc' '"HostConfig":{"Binds":["/tmp:/proc/x"]}'
	refused 400 'not a directory: unknown: Are you trying to mount' '"HostConfig":{"Binds":["/tmp:/etc/passwd"]}'
	refused 400 'mkdir /proc/x: no such file or directory' '"WorkingDir":"/proc/x"'
	refused 400 'executable file not found' '"Entrypoint":["nosuch"]'
	refused 404 'network nosuch not found' '"HostConfig":{"NetworkMode":"nosuch"}'
	equal "$(http "/containers/$c/start" POST)" "404 {\"message\":\"No such container: $c\"}"
}

@test "names may have slashes, or be empty" {
	equal "$(http /containers/a/b/json)" '404 {"message":"No such container: a/b"}'
	equal "$(http /containers/a%2fb/start POST)" '404 {"message":"No such container: a/b"}'
	equal "$(http /networks/a/b)" '404 {"message":"network a/b not found"}'
	equal "$(http /volumes/a/b DELETE)" '404 {"message":"get a/b: no such volume"}'
	equal "$(http /exec/a/b/json)" '404 {"message":"No such exec instance: a/b"}'
	equal "$(http /containers/ DELETE)" '400 {"message":"invalid name or ID supplied: \"\""}'
	equal "$(http /images/ DELETE)" '400 {"message":"image name cannot be blank"}'
	contains "$(http 'http://localhost/v1.50/containers/json?limit=x')" 'parsing \"x\"'
	equal "$(http /info OPTIONS)" 200
}

@test "who asks for a path that is not clean is sent to the clean one, whatever the method" {
	run -0 python3 - "$SBX_RUNTIME/docker.sock" <<-'END'
		import http.client, socket, sys
		for path, to in (("//v1.41/_ping", "/v1.41/_ping"), ("/v1.41//containers/json?all=1&x=%2F", "/v1.41/containers/json?all=1&x=%2F"),
		                 ("/v1.41/../v1.41/info", "/v1.41/info"), ("/containers/%2e/json", "/containers/json"),
		                 ("//", "/"), ("/v1.41/containers/a/../b%0d%0ac%20d/", "/v1.41/containers/b%0D%0Ac%20d/")):
		    for method in "GET", "POST", "DELETE", "HEAD":
		        c = http.client.HTTPConnection("x")
		        c.sock = socket.socket(socket.AF_UNIX)
		        c.sock.connect(sys.argv[1])
		        c.request(method, path)
		        r = c.getresponse()
		        got = r.status, r.getheader("Location"), r.read()
		        if got != (301, to, b""):
		            print(method, path, got)
	END
	equal "$output" ""
}

@test "a link is removed by its name, and that is answered" {
	sbx run -d --name "$c" box sleep "$(a_nap)" >/dev/null
	sbx create --name "$c-2" --link "$c:ali" box true >/dev/null
	equal "$(http "/containers/$c-2/ali?link=1" DELETE)" 204
	equal "$(sbx inspect -f '{{json .HostConfig.Links}}' "$c-2")" null
	equal "$(http "/containers/$c-2/ali?link=1" DELETE)" "404 {\"message\":\"No such container: $c-2/ali\"}"
}

@test "what is no HTTP, or too much of it, is refused, and the server goes on" {
	contains "$(raw 'nonsense\r\n\r\n')" "400 Bad Request"
	contains "$(raw "GET / HTTP/1.1\r\nA: $(head -c 70000 /dev/zero | tr '\0' a)\r\n\r\n")" " 4"
	contains "$(raw 'GET /%00 HTTP/1.1\r\n\r\n')" "400 Bad Request"
	contains "$(raw 'POST /containers/create HTTP/1.1\r\nContent-Length: 3\r\n\r\n{{{')" "400 Bad Request"
	contains "$(raw 'POST /containers/create HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]')" "400 Bad Request"
	contains "$(http /_ping)" "200 OK"
}

# Docker's client takes a 404 for a missing image, which it pulls.
@test "of a create only a missing image is not found" {
	local mode
	for mode in '"PidMode":"container:nosuch"' '"IpcMode":"container:nosuch"' '"VolumesFrom":["nosuch"]'; do
		contains "$(http /containers/create POST '{"Image":"box","HostConfig":{'"$mode"'}}')" '400 {"message":"No such container: nosuch"}'
	done
	contains "$(http /containers/create POST '{"Image":"nosuch"}')" '404 {"message":"No such image: nosuch:latest"}'
}

@test "no name leads out of the store" {
	contains "$(http '/containers/..%2f..%2fetc/json')" 301
	contains "$(http '/exec/..%2f..%2f..%2fetc%2fpasswd/json')" 301
	contains "$(http '/volumes/..%2fx' DELETE)" 301
}

@test "docker's own client runs, attaches, execs and removes" {
	# Not "lacking": its package is all of docker, which tests must not need.
	command -v docker >/dev/null || skip "no package gives it: docker's client is not installed"
	equal "$(docker run --rm box echo hello)" hello
	equal "$(echo in | docker run --rm -i box cat)" in
	run -3 docker run --rm box sh -c 'exit 3'
	run -127 docker run --rm box nosuch
	docker run -d --name "$c" box sleep "$(a_nap)" >/dev/null
	run -5 --separate-stderr docker exec "$c" sh -c 'echo o; echo e >&2; exit 5'
	equal "$output" o
	equal "$stderr" e
	echo file >file
	docker cp file "$c:/tmp/there" >/dev/null 2>&1
	equal "$(docker exec "$c" cat /tmp/there)" file
	docker rm -f "$c" >/dev/null
	missing "$c"
}

@test "every answer has the shape of docker's" {
	py shapes
}

@test "docker-compose 1 makes, asks, remakes and removes its services" {
	needs_static # its init
	docker-compose version --short 2>/dev/null | grep -q '^1\.' ||
		skip "no package gives it: docker-compose 1, which Debian has had until 12, is not installed"
	cat >compose.yml <<-END
		version: "2.4"
		services:
		  one:
		    image: box
		    command: sleep 1000
		    environment: {A: b}
		    init: true
		    mem_limit: 64m
		    volumes: ["data:/data", "/anonymous"]
		    depends_on: [two]
		  two:
		    image: box
		    command: sleep 1000
		    network_mode: none
		volumes: {data: {}}
	END
	# shellcheck disable=SC2016
	compose() { # with its own exec and run, not those of docker's client, which may be installed
		COMPOSE_INTERACTIVE_NO_CLI=1 docker-compose -p "$c" -f compose.yml --no-ansi "$@" 2>>compose.log
	}
	compose up -d
	equal "$(compose ps -q | wc -l)" 2
	equal "$(compose exec -T one sh -c 'echo $A')" b
	run -3 compose exec -T one sh -c 'exit 3'
	compose up -d --force-recreate -t 0
	compose restart -t 0 one
	# Nothing of its output is looked at: 1.29 attaches after the start. Nor is input sent: with -T it passes none on.
	run -3 compose run --rm -T one sh -c 'exit 3'
	compose down -v -t 0
	equal "$(sbx ps -aq --filter "label=com.docker.compose.project=$c")" ""
	equal "$(sbx network ls -q --filter "name=$c")$(sbx volume ls -q --filter "name=$c")" ""
}

@test "the wire: keep-alive, chunks, 100-continue, upgrades, half-closed, slow, vanishing and many clients" {
	command -v python3 >/dev/null || lacking python3
	python3 "$BATS_TEST_DIRNAME/../api/wire.py" "$c"
	nobody_connected() { ! pgrep -P "$(cat "$BATS_FILE_TMPDIR/serve.pid")"; }
	eventually nobody_connected
}

@test "two hundred execs stream a megabyte each at once, whole, and the server holds less than 50 MB" {
	python3 -c 'import docker' 2>/dev/null || lacking "python3-docker"
	python3 "$BATS_TEST_DIRNAME/../api/streams.py" "$c" "$(cat "$BATS_FILE_TMPDIR/serve.pid")"
}

@test "an idle server holds less than 3 MB" {
	local kb
	unsanitized "a server holds less than 3 MB"
	kb=$(awk '/^VmRSS:/ {print $2}' "/proc/$(cat "$BATS_FILE_TMPDIR/serve.pid")/status")
	[ "$kb" -lt 3072 ]
}

@test "docker-py: as harnesses use it, together with the command line" {
	py harnesses
}

@test "TCP is served where it is asked for, with a warning, and not otherwise" {
	local port
	# not an ephemeral port, which might be given to somebody else before we have it
	until
		port=$((30000 + RANDOM % 2700))
		"$SBX" serve -H "tcp://127.0.0.1:$port" 2>warning 3>&- &
		background+=($!)
		eventually test -s warning
		! grep -q "Address already in use" warning
	do :; done
	contains "$(cat warning)" "WARNING: whoever can connect to tcp://127.0.0.1:$port can do on this machine what you can"
	contains "$(python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:$port/_ping').read())")" OK
	# a page in a browser can send this to any port; it must be refused
	contains "$(python3 - "$port" <<-'END'
		import sys, urllib.error, urllib.request as u
		try:
		    u.urlopen(u.Request("http://127.0.0.1:%s/volumes/create" % sys.argv[1], b"{}", {"Content-Type": "text/plain"}))
		except urllib.error.HTTPError as e:
		    print(e.code, e.read().decode())
	END
	)" "400 {\"message\":\"unsupported Content-Type header (text/plain)"
	# nor what it can send without a body, nor its WebSocket, which nobody asks where it is from
	says() {
		contains "$(python3 - "$port" "$@" <<-'END'
			import http.client, sys
			c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=90)
			c.request(sys.argv[3], sys.argv[4], headers=dict(h.split("=", 1) for h in sys.argv[5:]))
			r = c.getresponse()
			print(r.status, r.read().decode())
		END
		)" "$1"
	}
	says "403 {\"message\":\"requests of other people's web pages are not served" \
		POST /containers/prune Origin=http://evil.example
	says 403 POST /containers/prune Origin=null
	says 403 GET /containers/none/attach/ws Origin=http://evil.example Connection=Upgrade Upgrade=websocket \
		Sec-WebSocket-Version=13 Sec-WebSocket-Key=AAAAAAAAAAAAAAAAAAAAAA==
	says "404 {\"message\":\"No such container: none" POST /containers/none/start "Origin=http://127.0.0.1:$port"
	# a page whose name was made to mean this machine sends no Origin when it reads, but its name as Host
	equal "$(python3 - "$port" "$DOCKER_HOST" <<-'END'
		import http.client, socket, sys
		own = socket.gethostname()
		fine = ["127.0.0.1:%s" % sys.argv[1], "127.0.0.1", "10.1.2.3:80", "[::1]:1", "[::1]", "localhost:5", "LocalHost",
		        "localhost.", "api.moby.localhost", own, own.upper() + ":80", own + ".", "", None,
		        "docker.example.com", "docker"]  # of docker's clients, through a command or a tunnel
		pages = ["evil.example", "evil.example:%s" % sys.argv[1], "127.0.0.1.evil.example", "localhost.evil.example",
		         "notlocalhost", ".localhost.evil", "127.0.0.1x", "[evil]", "2130706433", own + ".evil.example", "x" + own,
		         "docker.example.com:%s" % sys.argv[1], "a.docker.example.com", "example.com", "docker.evil.example"]
		def ask(host, path=None, more={}):
		    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=90)
		    if path:
		        c.sock = socket.socket(socket.AF_UNIX)
		        c.sock.connect(path)
		    c.putrequest("GET", "/containers/json", skip_host=True)
		    if host is not None:
		        c.putheader("Host", host)
		    for name, value in more.items():
		        c.putheader(name, value)
		    c.endheaders()
		    r = c.getresponse()
		    return r.status, r.read().decode()
		said = ("{\"message\":\"the name in the request's Host header is not this machine's: "
		        "use its address, or localhost\"}\n")
		for want, hosts in ((200, fine), (403, pages)):
		    for host in hosts:
		        status, text = ask(host)
		        if status != want or want == 403 and text != said:
		            print("wrong:", host, status, text)
		for host in "docker.example.com", "docker": # a browser's, whoever told it that this is the name of this machine
		    for likes in "de", "":
		        if ask(host, more={"Accept-Language": likes}) != (403, said):
		            print("not refused:", host, likes)
		for host in pages: # whoever reaches a unix socket is no page
		    if ask(host, sys.argv[2][len("unix://"):])[0] != 200:
		        print("wrong on a unix socket:", host)
	END
	)" ""
	# the other server has its unix socket alone
	equal "$(find "/proc/$(cat "$BATS_FILE_TMPDIR/serve.pid")/fd" -lname 'socket:*' | wc -l)" 1
	for where in nowhere:1 127.0.0.1 127.0.0.1: 127.0.0.1:0 127.0.0.1:65536 127.0.0.1:4294991047 127.0.0.1:23751x; do
		run -125 timeout 100 "$SBX" serve -H "tcp://$where"
		contains "$output" "tcp://$where: want an address in numbers and a port"
	done
}

@test "--idle-exit waits for those who are connected" {
	# on a slow machine the server may end before we connect; then it is started again
	python3 - "$SBX" "$PWD/sock" <<-'END'
		import socket, subprocess, sys, time
		def connect():
		    server = subprocess.Popen([sys.argv[1], "serve", "-H", "unix://" + sys.argv[2], "--idle-exit", "300ms"],
		                              stderr=subprocess.DEVNULL)
		    while server.poll() is None:
		        try:
		            s = socket.socket(socket.AF_UNIX)
		            s.connect(sys.argv[2])
		            return server, s
		        except OSError:
		            time.sleep(0.001)
		    return connect()
		server, s = connect()
		# longer than --idle-exit, but never without a connection
		end = time.monotonic() + 0.6
		while time.monotonic() < end:
		    s.sendall(b"GET /_ping HTTP/1.1\r\nHost: x\r\n\r\n")
		    assert s.recv(4096).startswith(b"HTTP/1.1 200")
		s.close()
		assert server.wait() == 0
	END
	[ ! -e sock ]
}

@test "serve -- COMMAND passes signals on, and leaves nothing of its own" {
	local told
	"$SBX" serve -- sh -c 'trap "exit 9" TERM; echo "$DOCKER_HOST" >told; while :; do sleep 0.1; done' 3>&- &
	background+=($!)
	eventually test -s told
	kill -TERM "${background[-1]}"
	status=0
	wait "${background[-1]}" || status=$?
	equal "$status" 9
	told=$(cat told)
	[ ! -e "${told#unix://}" ]
	run -137 sbx serve -- sh -c 'kill -9 $$'
	# containers that clients started live on
	command -v python3 >/dev/null || lacking python3
	sbx serve -- python3 "$BATS_TEST_DIRNAME/../api/left.py" "$c" "$(a_nap)"
	equal "$(sbx inspect -f '{{.State.Running}}' "$c")" true
	sbx rm -f "$c"
}

@test "docker-py: execs that go on hold nothing of a serve -- COMMAND that has ended, and are no zombies" {
	python3 -c 'import docker' 2>/dev/null || lacking "python3-docker"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx serve -- python3 "$BATS_TEST_DIRNAME/../api/detached.py" "$c")" begun
	sbx rm -f "$c" >/dev/null
}

@test "what is not here is refused with a sentence in docker's shape" {
	local path
	for path in /build /session /swarm/init /plugins/pull "/images/create?fromSrc=http://x/y" /images/box/push /auth; do
		[[ "$(http "$path" POST)" =~ ^501\ \{\"message\":\"sbx\ .*\"\}$ ]]
	done
	contains "$(http "/images/create?fromImage=nosuch.invalid/x&tag=1" POST)" '404 {"message":"pull access denied'
	for path in /containers/x/checkpoints /plugins/privileges?remote=x; do
		[[ "$(http "$path")" =~ ^501\ \{\"message\":\"sbx\ .*\"\}$ ]]
	done
	contains "$(http /swarm/unlockkey)" '503 {"message":"This node is not a swarm manager.'
	contains "$(http /services)" '503 {"message":"This node is not a swarm manager.'
	equal "$(http /plugins)" "200 []"
}

@test "the server is killed, and the processes of connections: containers, execs and who is connected go on" {
	command -v python3 >/dev/null || lacking python3
	DOCKER_HOST=unix://$PWD/sock python3 "$BATS_TEST_DIRNAME/../api/killed.py" "$c"
}

@test "a server whose program was replaced starts containers with --init" {
	needs_static
	command -v python3 >/dev/null || lacking python3
	mkdir "$c"
	cp "$SBX" "$c/sbx"
	"$c/sbx" serve -H "unix://$PWD/docker.sock" 2>/dev/null 3>&- &
	local server=$!
	eventually test -S docker.sock
	cp "$SBX" "$c/new"
	mv "$c/new" "$c/sbx"
	contains "$(SBX_RUNTIME=$PWD http "/containers/create?name=$c" POST '{"Image":"box","Cmd":["echo","began"],"HostConfig":{"Init":true}}')" "201 "
	equal "$(SBX_RUNTIME=$PWD http "/containers/$c/start" POST)" "204"
	equal "$(SBX_RUNTIME=$PWD http "/containers/$c/wait" POST | head -c 3)" "200"
	equal "$(sbx logs "$c")" "began"
	# nothing is there any more
	rm "$c/sbx"
	contains "$(SBX_RUNTIME=$PWD http "/containers/$c/start" POST)" "$c/sbx: no such file or directory"
	kill "$server"
	wait "$server" || true
	sbx rm "$c" >/dev/null
}

@test "clients that go in every state, slow ones, and five hundred at once leave nothing" {
	command -v python3 >/dev/null || lacking python3
	"$SBX" serve -H "unix://$PWD/sock" 2>/dev/null 3>&- &
	background+=($!)
	eventually test -S sock
	DOCKER_HOST=unix://$PWD/sock python3 "$BATS_TEST_DIRNAME/../api/vanish.py" "$c" "$!"
}

sleeps_in() {
	grep -q '^State:.S' "/proc/$1/status"
}

# lone_server: starts another server, on ./lone; its pid is $server
lone_server() {
	"$SBX" serve -H "unix://$PWD/lone" 2>lone.log 3>&- &
	server=$!
	background+=("$server")
	eventually test -S lone
	eventually sleeps_in "$server" # all that it opens at its start is open
}

# asked_after: a client asks for /_ping in the background; the answer will be in ./answer
asked_after() {
	python3 - 2>answer.err 3>&- <<-'END' &
		import http.client, os, socket
		c = http.client.HTTPConnection("x")
		c.sock = socket.socket(socket.AF_UNIX)
		c.sock.connect("lone")
		open("connected", "w")
		c.request("GET", "/_ping")
		text = c.getresponse().read().decode()
		open("answer", "w").write(text)
	END
	asker=$!
	background+=("$asker")
	eventually test -e connected
}

@test "a server without a descriptor left does not turn in circles, and answers when it has one" {
	lone_server
	prlimit --pid "$server" --nofile="$(ls "/proc/$server/fd" | sort -n | tail -n 1):"
	asked_after
	for _ in {1..10}; do
		sbx run --rm --network none box true
	done
	[ ! -e answer ]
	eventually sleeps_in "$server" # it does not spin
	prlimit --pid "$server" --nofile=1024:
	wait "$asker"
	equal "$(cat answer)" OK
}

holds() {
	[ "$(ls "/proc/$1/fd" | wc -l)" -eq "$2" ]
}

@test "a server that may make no process lets who asks wait, and answers when it may" {
	[ "$(id -u)" -ne 0 ] || lacking "root makes any number of processes"
	lone_server
	had=$(ls "/proc/$server/fd" | wc -l)
	prlimit --pid "$server" --nproc=1:
	asked_after
	eventually holds "$server" $((had + 1))
	prlimit --pid "$server" --nproc="$(ulimit -Hu):"
	wait "$asker"
	equal "$(cat answer)" OK
	eventually holds "$server" "$had"
}

@test "clients beyond the descriptors of a server and its connections are all answered, and all that they asked is done" {
	(
		ulimit -n 64
		exec "$SBX" serve -H "unix://$PWD/lone" 2>lone.log 3>&-
	) &
	background+=($!)
	eventually test -S lone
	python3 - "$c" <<-'END'
		import http.client, json, socket, sys
		def connect():
		    c = http.client.HTTPConnection("x")
		    c.sock = socket.socket(socket.AF_UNIX)
		    c.sock.connect("lone")
		    return c
		all = [connect() for _ in range(200)]
		for c in all:
		    c.request("GET", "/_ping")
		for n, c in enumerate(all):
		    assert c.getresponse().read() == b"OK", n
		for n, c in enumerate(all[:20]):
		    c.request("POST", "/containers/create?name=%s-%d" % (sys.argv[1], n),
		              json.dumps({"Image": "box", "Cmd": ["true"], "HostConfig": {"NetworkMode": "none"}}),
		              {"Content-Type": "application/json"})
		for c in all[:20]:
		    r = c.getresponse()
		    assert r.status == 201, r.read()
		    name = json.loads(r.read())["Id"]
		    c.request("POST", "/containers/%s/start" % name)
		    r = c.getresponse()
		    assert r.status == 204, r.read()
		    r.read()
	END
	equal "$(sbx ps -aq --filter "name=$c-" | wc -l)" 20
	sbx ps -aq --filter "name=$c-" | xargs "$SBX" rm -f >/dev/null
}
