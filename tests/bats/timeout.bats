load lib

@test "run --timeout: 124, everything is killed, and inspect says so" {
	nap=$(a_nap)
	run -124 sbx run --name "$c" --timeout 1s "$box" sh -c "trap '' TERM INT HUP; setsid sleep $nap & sleep $nap & wait; wait; exec sleep $nap"
	sleeps "$nap" 0
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 124"
}

@test "run --timeout ends what has no end, and not too soon" {
	begun=$EPOCHREALTIME
	run -124 sbx run --rm --timeout 500ms "$box" sleep 100000
	[ $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000)) -ge 500 ]
}

@test "run --timeout lets go what ends in time" {
	run -3 sbx run --rm --timeout 30s "$box" sh -c 'exit 3'
}

@test "run --timeout --kill-after: asked first, by the container's stop signal" {
	said() {
		sbx logs "$1" | grep -qx "$2"
	}
	for word in '' INT; do
		sbx run -d --name "$c$word" --stop-signal "$word" "$box" sh -c '
			trap "echo TERM; exit 5" TERM; trap "echo INT; exit 5" INT; echo ready; while :; do sleep 0.05; done' >/dev/null
		eventually said "$c$word" ready
		sbx update --timeout 1ms --kill-after 10m "$c$word" >/dev/null
		equal "$(sbx wait "$c$word")" 124
		equal "$(sbx logs "$c$word")" "ready"$'\n'"${word:-TERM}"
	done
}

@test "run -d --timeout ends without any client" {
	nap=$(a_nap)
	sbx run -d --name "$c" --timeout 300ms "$box" sleep "$nap" >/dev/null
	equal "$(sbx wait "$c")" 124
	sleeps "$nap" 0
}

@test "an endless loop that stops its signals and forks is ended, too" {
	nap=$(a_nap)
	run -124 sbx run --rm --timeout 1s "$box" sh -c "
		trap '' TERM; (setsid sh -c 'trap \"\" TERM; while :; do :; done' &) ; sh -c 'kill -STOP \$\$' & exec sleep $nap"
	sleeps "$nap" 0
}

# The default limit of processes.
many() {
	local n=$((1024 * $(nproc)))
	echo $((n < 2048 ? 2048 : n))
}

@test "run --timeout: 1024 processes a processor at most where nothing else is said, and a fork bomb of them is ended" {
	limit() { sbx run --rm "$@" "$box" sh -c 'ulimit -u'; }
	usual=$(limit)
	[ "$usual" != "$(many)" ]
	equal "$(limit --timeout 1h)" "$(many)"
	equal "$(limit --timeout 1h --pids-limit 100)" 100
	equal "$(limit --timeout 1h --pids-limit -1)" "$usual"
	equal "$(limit --timeout 1h --ulimit nproc=2000:2010)" 2000
	run -124 sbx run --name "$c" --timeout 1s "$py" python3 -c '
import os
while True:
	try: os.fork()
	except OSError: pass'
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.Pid}}' "$c")" "exited 0"
}

@test "a fork bomb whose every process begins a session is ended, and everything of it" {
	run -124 sbx run --name "$c" --timeout 1s --pids-limit 300 "$py" python3 -c '
import os
while True:
	try:
		if os.fork() == 0: os.setsid()
	except OSError: pass'
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.Pid}}' "$c")" "exited 0"
}

@test "exec --timeout: likewise, and no more than these, unless the container has a limit" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	usual=$(sbx exec "$c" sh -c 'ulimit -u')
	[ "$usual" != "$(many)" ]
	equal "$(sbx exec --timeout 1h "$c" sh -c 'ulimit -u')" "$(many)"
	sbx run -d --name "$c-few" --pids-limit 100 "$box" sleep 100000 >/dev/null
	equal "$(sbx exec --timeout 1h "$c-few" sh -c 'ulimit -u')" 100
	sbx run -d --name "$c-any" --pids-limit -1 "$box" sleep 100000 >/dev/null
	equal "$(sbx exec --timeout 1h "$c-any" sh -c 'ulimit -u')" "$usual"
}

@test "exec --timeout: 124, its whole tree is killed, the container and other execs live" {
	nap=$(a_nap)
	other=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	sbx exec -d "$c" sleep "$other"
	eventually sleeps "$other"
	run -124 sbx exec --timeout 1s "$c" sh -c "trap '' TERM; setsid sleep $nap & (setsid sh -c 'sleep $nap & exec true' &) ; exec sleep $nap"
	eventually sleeps "$nap" 0
	sleeps "$other"
	running "$c"
}

# of_sleeper SECONDS COMMAND: prints what the shell command prints, in the container, about the process that sleeps so long; $p
# is its directory in /proc.
of_sleeper() {
	sbx exec "$c" sh -c "for p in /proc/[0-9]*; do
		[ \"\$(cat \$p/comm)\" != sleep ] || ! grep -q $1 \$p/cmdline || $2
	done"
}

state_of() {
	of_sleeper "$1" 'grep ^State: $p/status' | cut -f 2
}

crowd() {
	sbx exec --timeout 1s "$c" python3 -c '
import os
while True:
	try:
		if os.fork() == 0: os.setsid()
	except OSError: pass'
}

@test "exec --timeout: a fork bomb whose every process begins a session is ended, whoever is beside it goes on or stays stopped" {
	stopped=$(a_nap)
	other=$(a_nap)
	sbx run -d --name "$c" --pids-limit 300 "$py" sh -c "sleep $stopped & sleep 100000 & wait" >/dev/null
	sbx exec -d "$c" sleep "$other"
	eventually sleeps "$other"
	of_sleeper "$stopped" 'kill -STOP ${p#/proc/}'
	run -124 crowd
	equal "$(state_of "$stopped")" "T (stopped)"
	equal "$(state_of "$other")" "S (sleeping)"
	equal "$(sbx exec "$c" sh -c 'grep -l "State:.T" /proc/[0-9]*/status | wc -l')" 1
	[ "$(sbx top "$c" | grep -c python3)" -eq 0 ]
}

@test "exec --timeout: likewise two such at once, and where root has hidden /proc" {
	sbx run -d --name "$c" --pids-limit 300 --privileged "$py" sh -c 'mount -t tmpfs none /proc; sleep 100000 & sleep 100000' >/dev/null
	{ ! crowd; } 3>&- &
	first=$!
	run -124 crowd
	wait "$first" # it has failed, too
	[ "$(sbx top "$c" | grep -c python3)" -eq 0 ]
	equal "$(sbx top "$c" -o pid,stat | grep -c T)" 1 # the heading
}

# leaves N: python code that tries all ways to get a process out of its exec's limits, each of which sleeps.
leaves() {
	cat <<-'END'
		import ctypes, os, signal, sys
		libc = ctypes.CDLL(None, use_errno=True)
		libc.syscall.restype = ctypes.c_long
		NEW, USER, CHILD = 0x02000000, 0x10000000, int(signal.SIGCHLD)
		class Args(ctypes.Structure):
		    _fields_ = [(n, ctypes.c_uint64) for n in "flags pidfd child parent exit stack size tls".split()]
		def clone(flags):
		    return libc.syscall(56 if os.uname().machine == "x86_64" else 220, flags | CHILD, 0, 0, 0, 0)
		def clone3(flags):
		    a = Args(flags=flags, exit=CHILD)
		    return libc.syscall(435, ctypes.byref(a), ctypes.sizeof(a))
		def join(kind):
		    return libc.setns(os.open("/proc/1/ns/cgroup", os.O_RDONLY), kind)
		def follow(kind):
		    return libc.setns(libc.syscall(434, 1, 0), kind)
		ways = [lambda: libc.unshare(NEW), lambda: libc.unshare(USER | NEW), lambda: clone(NEW), lambda: clone(USER | NEW),
		    lambda: clone3(NEW), lambda: clone3(USER | NEW), lambda: join(NEW), lambda: join(0), lambda: follow(NEW),
		    lambda: follow(NEW | 0x20000)]
		for way in ways:
		    if os.fork() == 0:
		        os.setsid()
		        way()
		        os.execvp("sleep", ["sleep", sys.argv[1]])
		os.execvp("sleep", ["sleep", sys.argv[1]])
	END
}

@test "exec --timeout: nobody leaves it by another namespace, whatever he may do" {
	leaves >leaves.py
	for rights in --privileged "--cap-add SYS_ADMIN" "--security-opt seccomp=unconfined"; do
		nap=$(a_nap)
		sbx run -d --name "$c" $rights -v "$PWD:/work" "$py" sleep 100000 >/dev/null
		run -124 sbx exec --timeout 3s "$c" python3 /work/leaves.py "$nap"
		equal "$rights: $(sleeps "$nap" 0 && echo none)" "$rights: none"
		sbx rm -f "$c" >/dev/null
	done
}

@test "exec --timeout: other namespaces are made as before, and without a limit of its own that of control groups as well" {
	own='import ctypes; libc = ctypes.CDLL(None, use_errno=True); print(libc.unshare(0x02000000), ctypes.get_errno())'
	sbx run -d --name "$c" --privileged "$py" sleep 100000 >/dev/null
	for limit in "--timeout 1h" "--memory 1g" "--pids-limit 99" "--cpu-time 1h"; do
		sbx exec $limit "$c" unshare -m -n true
		equal "$limit: $(sbx exec $limit "$c" python3 -c "$own")" "$limit: -1 1"
	done
	equal "$(sbx exec "$c" python3 -c "$own")" "0 0"
}

@test "exec -d --timeout" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	sbx exec -d --timeout 500ms "$c" sleep "$nap"
	eventually sleeps "$nap" 0
	running "$c"
}

@test "a caller's own timeout(1) around exec leaves nothing behind" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -124 timeout 1 "$SBX" exec "$c" sleep "$nap"
	eventually sleeps "$nap" 0
	run -137 timeout -s KILL 1 "$SBX" exec "$c" sleep "$nap"
	eventually sleeps "$nap" 0
}

@test "a time that makes no sense is 125" {
	run -125 --separate-stderr sbx run --rm --timeout soon "$box" true
	contains "$stderr" "timeout"
}

@test "a time as long as can be said is not over at once, and puts no other limit off" {
	long=2562047h47m16s
	run -124 timeout 100 "$SBX" run --rm --timeout 100ms --health-cmd true --health-interval "$long" "$box" sleep 100000
	run -137 timeout 100 "$SBX" run --rm -m 32m --timeout "$long" "$box" sh -c '
		x=$(head -c 100000000 /dev/zero | tr "\0" y)'
	said() {
		sbx logs "$c" | grep -qx "$1"
	}
	sbx run -d --name "$c" "$box" sh -c 'trap "echo asked; exit" TERM; echo ready; while :; do sleep 0.05; done' >/dev/null
	eventually said ready
	sbx update --timeout 1ms --kill-after "$long" "$c" >/dev/null
	equal "$(sbx wait "$c")" 124
	said asked
}

@test "an exec, and a health check, may take as long as can be said" {
	long=2562047h47m16s
	sbx run -d --name "$c" --health-cmd true --health-interval 50ms --health-retries 1 --health-timeout "$long" \
		"$box" sleep 100000 >/dev/null
	health() { [ "$(sbx inspect -f '{{.State.Health.Status}}' "$c")" != starting ]; }
	eventually health
	equal "$(sbx inspect -f '{{.State.Health.Status}}' "$c")" healthy
	run -3 timeout 100 "$SBX" exec --timeout "$long" -m 32m "$c" sh -c 'sleep 0.2; exit 3'
}

# mounts WHERE: the program of a container, $c, that mounts a FUSE at WHERE and never answers what it is asked.
mounts() {
	cat >server <<'END'
import ctypes, os, struct, sys
fuse = os.open("/dev/fuse", os.O_RDWR)
if ctypes.CDLL(None).mount(b"x", sys.argv[1].encode(), b"fuse", 6, b"fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other" % fuse):
    raise SystemExit("mount")
unique = struct.unpack_from("=IIQ", os.read(fuse, 1 << 18))[2]
os.write(fuse, struct.pack("=IiQ", 80, 0, unique) + struct.pack("=IIIIHHIIHH8I", 7, 31, 65536, 1, 0, 0, 65536, *[0] * 11))
print("mounted", flush=True)
while True:
    os.read(fuse, 1 << 18)
    print("asked", flush=True)
END
	sbx run -d --name "$c" --cap-add SYS_ADMIN --device /dev/fuse -v "$PWD/server:/server:ro" "$py" python3 -S /server "$1" >/dev/null
	eventually eval 'sbx logs "$c" | grep -q mounted'
}

@test "a FUSE of the container's that never answers holds up no exec beside it" {
	[ -c /dev/fuse ] || skip "no package gives it: /dev/fuse"
	mounts /etc # where the users of the image are looked up
	run -0 sbx exec --timeout 20s "$c" sh -c 'echo "$HOME"'
	equal "$output" /root
	sbx rm -f "$c" >/dev/null
	for where in /bin /; do # where the command is; where everything is
		mounts "$where"
		run -1 sbx exec -d --timeout 1s "$c" /bin/true
		[[ $output == *"its time was up before its command began"* ]]
		run -124 sbx exec --timeout 1s --result result "$c" /bin/true
		equal "$(python3 -c 'import json; print(json.load(open("result"))["reason"])')" timeout
		sbx rm -f "$c" >/dev/null
		mounts "$where"
		behind exec --result result "$c" /bin/true
		eventually eval 'sbx logs "$c" | grep -q asked'
		kill -TERM "$client"
		client_ends
		equal "$status" 143
		sbx rm -f "$c" >/dev/null
	done
}
