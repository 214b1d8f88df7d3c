# Attempts to get out of a container. Each is judged by a fact on the host: a file outside that was read, written or made, or
# a process of ours that was opened.
load lib

# In a running container /r/a and /r/b are exchanged all the time: a directory, and a link with a path that exists on the
# host, but not in the container.
flips() {
	mkdir outside
	echo "the host's" >outside/f
	sbx run -d --name "$c" "$@" "$py" python3 -c "
import ctypes, os
os.makedirs('/r/a', exist_ok=True)
open('/r/a/f', 'w').write('inside\n')
if not os.path.lexists('/r/b'): os.symlink('$PWD/outside', '/r/b')
libc = ctypes.CDLL(None)
open('/flips', 'w')
renameat2 = {'x86_64': 316, 'aarch64': 276}[os.uname().machine]
while True: libc.syscall(renameat2, -100, b'/r/a', -100, b'/r/b', 2)" >/dev/null
	eventually sbx exec "$c" ls /flips
}

@test "cp while what it copies is exchanged for a link reads and writes nothing outside" {
	flips
	echo evil >evil
	for _ in {1..10}; do
		rm -rf got
		sbx cp "$c:/r/a/f" got 2>/dev/null || true
		[ ! -e got ] || equal "$(cat got)" inside
		rm -rf got
		sbx cp "$c:/r/a" got 2>/dev/null || true
		# a link is copied as one; on the host it may lead anywhere
		[ -L got ] || lacks "$(cat got/* 2>/dev/null)" "the host's"
		sbx cp evil "$c:/r/a/evil" 2>/dev/null || true
		sbx cp evil "$c:/r/b/" 2>/dev/null || true
		tar -c evil | sbx cp - "$c:/r/a" 2>/dev/null || true
		equal "$(cd outside && stat -c '%n %a' . ./*) $(cat outside/f)" ". 755
./f 644 the host's"
	done
	# they were exchanged, or this tests nothing
	for _ in {1..60}; do sbx exec "$c" readlink /r/a; done >links || true
	[ -s links ]
	[ "$(wc -l <links)" -lt 60 ]
}

@test "a volume whose directories are exchanged for links leads no mount outside" {
	mkdir v other
	echo other >other/f
	flips -v "$PWD/v:/r"
	for _ in {1..15}; do
		# a mount point below the exchanged directory, which is made if it is missing
		run sbx run --rm -v "$PWD/v:/v" -v "$PWD/other:/v/a/new" "$box" cat "/v/a/new/f"
		lacks "$output" "the host's"
		equal "$(cd outside && echo *) $(cat outside/f)" "f the host's"
	done
}

@test "a volume's subpath that is exchanged for a link shows nothing of the host" {
	sbx volume create "v-$c" >/dev/null
	flips -v "v-$c:/r"
	for _ in {1..15}; do
		run sbx run --rm --mount "type=volume,src=v-$c,dst=/x,volume-subpath=a" "$box" cat /x/f
		lacks "$output" "the host's"
	done
	sbx rm -f "$c"
	sbx volume rm "v-$c"
}

@test "what of ours is seen inside can be neither opened nor traced" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	run -0 sbx exec "$c" python3 -c '
import ctypes, os
libc = ctypes.CDLL(None)
seen = 0
for p in filter(str.isdigit, os.listdir("/proc")):
	if open(f"/proc/{p}/comm").read() != "sbx-exec\n": continue
	seen += 1
	for name in "exe", "root", "cwd", "mem", "maps", "environ", "fd", "map_files":
		try:
			(os.listdir if name in ("fd", "map_files") else open)(f"/proc/{p}/{name}")
			print("opened", name)
		except OSError: pass
	if libc.ptrace(16, int(p), 0, 0) >= 0: print("traced")
	if libc.syscall(438, os.pidfd_open(int(p)), 0, 0) >= 0: print("took a descriptor")
	if open(f"/proc/{p}/cmdline").read().strip("\0 "): print("has a command line")
print("seen", seen)'
	equal "$output" "seen 1"
}

# The new container joins a pid namespace in which somebody already runs. Until it has a root of its own, its first process still
# has the machine's.
@test "who may trace sees nothing of the machine in a container that joins its processes" {
	echo "the host's" >secret
	sbx run -d --name "$c" --cap-add SYS_PTRACE "$py" python3 -uc "
import os
open('/begun', 'w')
while True:
	for p in filter(str.isdigit, os.listdir('/proc')):
		for name in 'root$PWD/secret', 'cwd/hosts':
			try: print(p, name, open(f'/proc/{p}/{name}').read())
			except OSError: pass" >/dev/null
	eventually sbx exec "$c" test -e /begun
	for _ in {1..30}; do
		equal "$(sbx run --rm --pid "container:$c" --oom-score-adj 1000 "$box" cat /proc/self/oom_score_adj)" 1000
	done
	equal "$(sbx logs "$c")" ""
}

# looks_at PROC: code that looks at each new process it sees there, by what only who may trace may look at.
looks_at() {
	printf '
import os
open("/begun", "w")
top = max(map(int, filter(str.isdigit, os.listdir("%s"))))
while True:
	for p in range(top - 2, top + 10):
		try:
			exe = os.readlink(f"%s/{p}/exe")
			if "memfd:" not in exe and "/sbx" in exe: print(p, exe)
		except PermissionError: pass
		except OSError: continue
		top = max(p, top)' "$1" "$1"
}

# Root of that container owns the user namespace in which -u has another number.
@test "who becomes another user in the processes of a container can be looked at by nobody in it" {
	sbx run -d --name "$c" "$py" python3 -uc "$(looks_at /proc)" >/dev/null
	eventually sbx exec "$c" test -e /begun
	for _ in {1..40}; do
		equal "$(sbx run --rm --pid "container:$c" -u 1234 "$box" id -u)" 1234
	done
	equal "$(sbx logs "$c")" ""
}

# Each setns() is held until it is known whether others might look at who calls it.
@test "who joins a container is closed to others before that" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for command in "exec $c true" "exec -u 1234 $c true" "cp $c:/etc/passwd -"; do
		# shellcheck disable=SC2086
		python3 "$BATS_TEST_DIRNAME/joins.py" open "$SBX" $command >/dev/null 2>told
		equal "$(cat told)" "all were closed"
	done
}

# The other one, which may mount, has power over each mount namespace that is made in its user namespace, and can enter it.
@test "who joins a container brings no file of the machine into its reach" {
	sbx run -d --name "$c" --cap-add SYS_ADMIN --security-opt seccomp=unconfined --ipc shareable \
		-v "$BATS_TEST_DIRNAME/enters.py:/enters.py:ro" "$py" sleep 100000 >/dev/null
	sbx exec "$c" python3 /enters.py / >found
	[[ $(cat found) != "cannot look"* ]] || skip "no package gives it: a kernel that has handles or a list of mount namespaces (6.12)"
	equal "$(cat found)" ""
	for more in "--network container:$c" "--ipc container:$c" "--pid container:$c"; do
		# shellcheck disable=SC2086
		python3 "$BATS_TEST_DIRNAME/joins.py" root "'$SBX' exec $c python3 /enters.py '$BATS_TEST_TMPDIR'" \
			"$SBX" run --rm $more "$box" true 2>found
		lacks "$(cat found)" "it is there"
	done
}

# These processes are in the machine's namespaces; but no other process of the same user may read them, either.
@test "supervisors and image servers cannot be looked at" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	supervisor=$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status")
	for pid in "$supervisor" "$(server_pid)"; do
		equal "$(stat -c %u "/proc/$pid/environ")" 0 # root's, since it is not dumpable
	done
}

# A command that is /proc/self/exe is the program that execs it, sbx. Tested with a copy of sbx that nothing else runs, as
# only then could it be overwritten.
@test "a command that is /proc/self/exe makes nothing of ours run inside (CVE-2019-5736)" {
	cp "$SBX" mine
	cp "$(dirname "$SBX")/sbx-archive" .
	chmod 755 mine
	probe='
import os
for p in filter(str.isdigit, os.listdir("/proc")):
	try:
		fd = os.open(f"/proc/{p}/exe", os.O_RDONLY)
		if os.fstat(fd).st_size == int(os.environ["SIZE"]): os.fchmod(fd, 0o777)
	except OSError: pass'
	mkfifo in
	printf '#!/proc/self/exe load\n' >script
	chmod 755 script
	sbx run -d --name "$c" -v "$PWD/script:/script" "$py" sleep 100000 >/dev/null
	sbx exec "$c" ln -s /proc/self/exe /link
	# if sbx ran there, it would load the archive
	for command in /link /script /proc/self/exe; do
		"$PWD/mine" exec -i "$c" "$command" load <in >/dev/null 2>&1 3>&- &
		background+=("$!")
		exec {writes}>in
		probed() {
			sbx exec -e "SIZE=$(stat -c %s mine)" "$c" python3 -c "$probe"
			[ "$(stat -c %a mine)" != 755 ] || gone "${background[-1]}"
		}
		eventually probed
		equal "$(stat -c %a mine)" 755
		exec {writes}>&-
	done
	# a filter that kills for execveat() does not kill the program in between
	printf '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["execveat"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >filter
	equal "$("$PWD/mine" run --rm --security-opt seccomp=filter "$py" echo works)" works
	# the program in between reports a missing command in docker's words
	run -127 sbx exec "$c" nothing-of-this-name
	contains "$output" 'exec: "nothing-of-this-name": executable file not found in $PATH'
	run -126 "$PWD/mine" exec "$c" /etc/passwd
	contains "$output" 'exec: "/etc/passwd": permission denied'
	run -127 "$PWD/mine" run --rm -v "$PWD/script:/script" --entrypoint /gone "$py"
	contains "$output" 'exec: "/gone": stat /gone: no such file or directory'
	printf '#!/gone\n' >script
	run -127 "$PWD/mine" run --rm -v "$PWD/script:/script" "$py" /script
	contains "$output" 'exec /script: no such file or directory'
}

@test "no socket of ours has a name that needs no file" {
	sbx run -d --name "$c" --health-cmd true --health-interval 1s "$box" sleep 100000 >/dev/null
	sbx exec "$c" true
	server_pid | grep -q .
	grep -o '@.*sbx.*' /proc/net/unix >after || true
	[ ! -s after ]
}

@test "what ends up as a line of a file cannot be two" {
	nl=$'\n'
	for bad in "--add-host=a${nl}6.6.6.6 evil:127.0.0.1" "--dns-search=a${nl}nameserver 6.6.6.6" \
		"--dns=1.1.1.1${nl}nameserver 6.6.6.6" "--dns-option=ndots:1${nl}nameserver 6.6.6.6" \
		"--hostname=a${nl}6.6.6.6 evil" "--domainname=a${nl}6.6.6.6 evil" \
		"--sysctl=net.ipv4.ip_forward=1${nl}0" "--sysctl=net.ipv4.ip_forward${nl}=1" \
		"--sysctl=net/../kernel/core_pattern=x" "--sysctl=net...kernel.core_pattern=x" \
		"--name=a${nl}b"; do
		run -125 sbx run --rm "$bad" "$box" true
	done
	# these may contain newlines, and are passed unchanged
	sbx run --name "$c" -e "A=1${nl}B=2" --label "a=b${nl}oom_killed 1" --label "c${nl}oom_killed=d" -w "/x${nl}y" "$box" sh -c 'printf "%s" "$A"; pwd' >said
	equal "$(cat said)" "1${nl}B=2/x${nl}y"
	equal "$(sbx inspect -f '{{json .Config.Labels}} {{.State.OOMKilled}} {{json .Config.WorkingDir}}' "$c")" \
		'{"a":"b\noom_killed 1","c\noom_killed":"d"} false "/x\ny"'
}

@test "no descriptor of the caller's reaches a health check, nor what starts after the image server was killed" {
	echo secret >secret
	exec {kept}<secret
	sbx run -d --name "$c" --health-cmd 'ls -l /proc/self/fd >/said' --health-interval 1s "$py" sleep 100000 >/dev/null
	eventually sbx exec "$c" test -s /said
	lacks "$(sbx exec "$c" cat /said)" secret
	sbx create --name "$c-2" "$py" python3 -c '
import os
print(sorted(f for f in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + f)))' >/dev/null
	end_server KILL
	equal "$(sbx start -a "$c-2")" "['0', '1', '2']"
	exec {kept}<&-
}

@test "nothing but a procfs covers /proc, and no directory in it can be covered" {
	mkdir v && touch f
	for at in /proc /proc/sys /proc/self/attr; do
		run sbx run --rm -v "$PWD/v:$at" "$box" true
		[ "$status" -ne 0 ]
	done
	run sbx run --rm -v "$PWD/f:/proc/version" "$box" true
	contains "$output" "cannot be mounted because it is inside /proc"
	run sbx run --rm --tmpfs /proc "$box" true
	contains "$output" "cannot be mounted because it is not of type proc"
	# files that docker's runtime allows to be covered, can be
	echo "MemTotal: 1 kB" >f
	equal "$(sbx run --rm -v "$PWD/f:/proc/meminfo" "$box" cat /proc/meminfo)" "MemTotal: 1 kB"
}
