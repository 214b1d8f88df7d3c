load lib

@test "a run that names no network has lo alone, and it is up" {
	run -0 sbx run --rm "$box" sh -c 'readlink /proc/self/ns/net; ls /sys/class/net; ip -o addr show dev lo; ping -c 1 -W 2 127.0.0.1 >/dev/null && echo answers'
	[ "${lines[0]}" != "$(readlink /proc/self/ns/net)" ]
	equal "${lines[1]}" lo
	contains "$output" "127.0.0.1/8"
	contains "$output" answers
}

# (A nc that hears its client's end before its own standard input has said anything ends without a word; hence -e.)
@test "--network none, too; servers inside reach each other by lo" {
	run -0 sbx run --rm --network none "$box" sh -c '
		nc -l -p 8080 -e echo word & until nc 127.0.0.1 8080 2>/dev/null; do usleep 20000; done'
	equal "$output" word
}

@test "ports below 1024 may be listened on" {
	run -0 sbx run --rm -u user "$box" sh -c 'nc -l -p 80 -e echo word & until nc 127.0.0.1 80 2>/dev/null; do usleep 20000; done'
	equal "$output" word
}

@test "--network host is the host's" {
	equal "$(sbx run --rm --network host "$box" readlink /proc/self/ns/net)" "$(readlink /proc/self/ns/net)"
	equal "$(sbx run --rm --net host "$box" sh -c 'ls /sys/class/net | tr "\n" " "')" "$(cd /sys/class/net && echo *) "
}

@test "SBX_NETWORK and the configuration file choose the default" {
	here=$(readlink /proc/self/ns/net)
	equal "$(SBX_NETWORK=host sbx run --rm "$box" readlink /proc/self/ns/net)" "$here"
	mkdir -p config/sbx
	echo 'network = host' >config/sbx/config
	equal "$(XDG_CONFIG_HOME=$PWD/config sbx run --rm "$box" readlink /proc/self/ns/net)" "$here"
	[ "$(XDG_CONFIG_HOME=$PWD/config sbx run --rm --network none "$box" readlink /proc/self/ns/net)" != "$here" ]
	[ "$(XDG_CONFIG_HOME=$PWD/config SBX_NETWORK=none sbx run --rm "$box" readlink /proc/self/ns/net)" != "$here" ]
}

@test "a network that does not exist is told" {
	run -125 --separate-stderr sbx run --name "$c" --network "$c-net" "$box" true
	contains "$stderr" "$c-net not found"
	run -1 --separate-stderr sbx exec "$c" true
}

@test "the host's abstract sockets and services cannot be reached" {
	python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind("\0sbx-test-'"$BATS_TEST_TMPDIR"'"); s.listen()
t = socket.socket(); t.bind(("127.0.0.1", 0)); t.listen()
print(t.getsockname()[1], flush=True)
sys.stdin.read()' >port < <(read -rt 20 nothing <>"$BATS_FILE_TMPDIR/never") 3>&- &
	background+=($!)
	eventually test -s port
	run -0 sbx run --rm "$py" python3 -c '
import socket
for family, address in ((socket.AF_UNIX, "\0sbx-test-'"$BATS_TEST_TMPDIR"'"), (socket.AF_INET, ("127.0.0.1", '"$(cat port)"'))):
	s = socket.socket(family)
	try: s.connect(address)
	except OSError: print("refused")
	else: print("reached")'
	equal "$output" $'refused\nrefused'
}

@test "--dns stands in /etc/resolv.conf" {
	contains "$(sbx run --rm --dns 10.9.8.7 --dns-search here.test "$box" cat /etc/resolv.conf)" "nameserver 10.9.8.7"
}

# The machine's /proc, which is there then, shows each process the settings of its own namespaces.
@test "sysctls are set with --pid host as well" {
	files="/proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/ip_unprivileged_port_start /proc/sys/kernel/shmmax"
	# shellcheck disable=SC2086
	run -0 sbx run --rm --pid host --sysctl net.ipv4.ip_forward=1 --sysctl kernel.shmmax=4096 "$box" cat $files
	equal "$output" "1
0
4096"
}

@test "who shares the namespaces of a container that is in the machine's is in them, too" {
	sbx run -d --name "$c" --network host --pid host --ipc host "$box" sleep 100000
	for ns in net ipc; do
		equal "$(sbx run --rm --network "container:$c" --ipc "container:$c" "$box" readlink "/proc/self/ns/$ns")" \
			"$(readlink "/proc/self/ns/$ns")"
	done
	sbx run -d --name "$c-2" --network "container:$c" --pid "container:$c" "$box" sleep 100000
	equal "$(sbx exec "$c-2" readlink /proc/self/ns/net)" "$(readlink /proc/self/ns/net)"
	equal "$(sbx exec "$c-2" readlink /proc/self/ns/pid)" "$(readlink /proc/self/ns/pid)"
	contains "$(sbx inspect -f '{{.HostConfig.NetworkMode}}' "$c-2")" container:
	sbx rm -f "$c" "$c-2"
}

@test "who shares a container's IPC namespace shares its POSIX shared memory and message queues" {
	sbx run -d --name "$c" --ipc shareable --shm-size 1m "$box" sh -c 'echo word >/dev/shm/file; exec sleep 100000'
	eventually sbx exec "$c" test -s /dev/shm/file
	run -0 sbx run --rm --ipc "container:$c" --shm-size 8m "$box" sh -c '
		cat /dev/shm/file; df -k /dev/shm | tail -n 1 | tr -s " " | cut -d " " -f 2; echo back >/dev/shm/other'
	equal "$output" $'word\n1024'
	equal "$(sbx exec "$c" cat /dev/shm/other)" back
	sbx create --name "$c-2" --ipc "container:$c" -m 64m "$box" sleep 100000
	sbx start "$c-2"
	equal "$(sbx exec "$c-2" cat /dev/shm/other)" back
	sbx run --rm --ipc "container:$c" -v "$PWD:/dev/shm" "$box" sh -c '! test -e /dev/shm/file'
	sbx rm -f "$c-2"
	equal "$(sbx exec "$c" cat /dev/shm/other)" back
	sbx rm -f "$c"
}

@test "who shares a container's network has its host name, and the files that tell of it" {
	sbx run -d --name "$c" --hostname inner --domainname here.test "$box" sleep 100000
	sbx create --name "$c-2" --network "container:$c" "$box" sh -c 'hostname; cat /etc/hostname; echo "$HOSTNAME"
		cat /proc/sys/kernel/domainname; echo 10.9.8.7 back >>/etc/hosts'
	equal "$(sbx start -a "$c-2")" $'inner\ninner\ninner\nhere.test'
	contains "$(sbx exec "$c" cat /etc/hosts)" "10.9.8.7 back"
	sbx rm "$c-2"
	contains "$(sbx exec "$c" cat /etc/hosts)" "10.9.8.7 back"
	sbx run -d --name "$c-2" --network "container:$c" "$box" sleep 100000
	equal "$(sbx exec "$c-2" sh -c 'echo "$HOSTNAME"; hostname')" $'inner\ninner'
	equal "$(sbx run --rm --network "container:$c-2" "$box" sh -c 'hostname; grep -c 10.9.8.7 /etc/hosts')" $'inner\n1'
	equal "$(sbx inspect -f '{{.Config.Hostname}}' "$c-2")" inner
	sbx rm -f "$c"
	equal "$(sbx inspect -f '{{.Config.Hostname}}' "$c-2")" inner
	sbx rm -f "$c-2"
}

@test "who is linked to a container that does not run is refused, until it runs" {
	sbx create --name "$c-a" "$box" sleep 100000 >/dev/null
	sbx create --name "$c" --link "$c-a:web" "$box" echo linked >/dev/null
	run -1 --separate-stderr sbx start -a "$c"
	[[ $stderr == *"Cannot link to a non running container: /$c-a AS /$c/web"* ]]
	sbx start "$c-a" >/dev/null
	[ "$(sbx start -a "$c")" = linked ]
	sbx rename "$c-a" "$c-b"
	[ "$(sbx inspect -f '{{json .HostConfig.Links}}' "$c")" = "[\"/$c-b:/$c/web\"]" ]
	sbx rm -f "$c-b" >/dev/null
	[ "$(sbx start -a "$c")" = linked ]
}
