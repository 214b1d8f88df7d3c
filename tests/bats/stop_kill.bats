load lib

@test "stop sends SIGTERM, and the command's own status stays" {
	behind run --name "$c" "$box" sh -c 'trap "echo term; exit 8" TERM; echo up; while :; do usleep 20000; done'
	line
	equal "$(sbx stop "$c")" "$c"
	line
	equal "$REPLY" term
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 8"
}

@test "stop kills what does not listen, after its time" {
	nap=$(a_nap)
	sbx run -d --name "$c" --stop-timeout 100000 "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	begun=$EPOCHREALTIME
	sbx stop -t 1 "$c"
	[ $(((${EPOCHREALTIME/./} - ${begun/./}) / 1000)) -ge 1000 ]
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 137
	sleeps "$nap" 0
}

# As docker's daemon, to which the client has only said it.
@test "a stop whose client is killed is done to its end, and none who reads its output waits for that" {
	sbx run -d --name "$c" --restart always "$box" \
		sh -c 'trap "echo term" TERM; echo up; while :; do usleep 20000; done' >/dev/null
	eventually eval '[ "$(sbx logs "$c")" = up ]'
	behind stop -t 2 "$c"
	eventually eval '[ "$(sbx logs "$c" | tail -n 1)" = term ]'
	kill -9 "$client"
	read -rt $((90 * ${SBX_TEST_SLOW:-1})) -u "$from" || [ $? = 1 ] # its end, not the time
	eventually ended "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}} {{.RestartCount}}' "$c")" "137 0"
}

@test "a restart whose client is killed is done to its end" {
	sbx run -d --name "$c" "$box" sh -c 'trap "echo term" TERM; echo up; while :; do usleep 20000; done' >/dev/null
	eventually eval '[ "$(sbx logs "$c")" = up ]'
	behind restart -t 2 "$c"
	eventually eval '[ "$(sbx logs "$c" | tail -n 1)" = term ]'
	kill -9 "$client"
	eventually eval '[ "$(sbx logs "$c" | grep -c up)" = 2 ]'
	running "$c"
}

@test "stop -s and --stop-signal choose the signal, --stop-timeout the time" {
	sbx run -d --name "$c" --stop-signal USR1 --stop-timeout 60 "$box" \
		sh -c 'trap "exit 3" USR1; trap "exit 4" HUP; echo up; while :; do usleep 20000; done' >/dev/null
	eventually eval '[ "$(sbx logs "$c" | grep -c up)" = 1 ]'
	sbx stop "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 3
	sbx start "$c"
	eventually eval '[ "$(sbx logs "$c" | grep -c up)" = 2 ]'
	sbx stop -s HUP "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 4
}

@test "stopping what does not run is no error" {
	sbx create --name "$c" "$box" true >/dev/null
	equal "$(sbx stop "$c")" "$c"
}

@test "stop of a missing container is 1, the others are stopped" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -1 --separate-stderr sbx stop -t 0 "$c-none" "$c"
	contains "$stderr" "No such container: $c-none"
	! running "$c"
}

@test "between two lives stop is told of, and no end twice" {
	sbx run -d --name "$c" --restart always "$box" false >/dev/null
	restarting() {
		[ "$(sbx inspect -f '{{.State.Status}}' "$1")" = restarting ]
	}
	eventually restarting "$c"
	sbx stop "$c" >/dev/null
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 1"
	sbx events --since 0 --until "$(date +%s.%N)" --filter "container=$c" --format '{{.Action}}' >told
	equal "$(grep -cx die told)" "$(grep -cx start told)"
	equal "$(tail -n 1 told)" stop
}

# between ARGS...: runs `sbx ARGS` while $c waits for its restart; again, if it came while the container ran. The waits grow.
between() {
	local before
	while :; do
		before=$(sbx inspect -f '{{.State.Status}} {{.RestartCount}}' "$c")
		[[ $before == restarting* ]] || continue
		run --separate-stderr sbx "$@"
		[ "$(sbx inspect -f '{{.State.Status}} {{.RestartCount}}' "$c")" != "$before" ] || break
	done
	equal "$status" 1
}

@test "between two lives there is nobody to join, and kill is told of" {
	sbx run -d --name "$c" --restart always --health-cmd true "$box" false >/dev/null
	restarting() {
		[ "$(sbx inspect -f '{{.State.Status}} {{lt 3 .RestartCount}}' "$1")" = "restarting true" ]
	}
	between exec "$c" true
	contains "$stderr" "is restarting, wait until the container is running"
	between attach "$c"
	contains "$stderr" "You cannot attach to a restarting container, wait until it is running"
	between pause "$c"
	contains "$stderr" "is restarting, wait until the container is running"
	eventually restarting "$c"
	equal "$(sbx kill -s HUP "$c")" "$c"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.Running}} {{.State.ExitCode}}' "$c")" "exited false 1"
	run -1 --separate-stderr sbx kill "$c"
	contains "$stderr" "is not running"
}

@test "stop without a timeout lets a program that catches its signal end by itself" {
	sbx run -d --name "$c" "$box" sh -c 'trap "exit 42" TERM; mkfifo /never; echo ready; read -r x <>/never' >/dev/null
	eventually eval '[ "$(sbx logs "$c")" = ready ]'
	sbx stop -t 0 "$c" >/dev/null
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 42
}

@test "kill ends everything of the container" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "setsid sleep $nap & exec sleep $nap" >/dev/null
	eventually sleeps "$nap" 2
	equal "$(sbx kill "$c")" "$c"
	eventually sleeps "$nap" 0
	eventually ended "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 137
}

@test "kill returns when it has ended: who then removes it need not force it" {
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	exec {lock}<"$SBX_ROOT/containers/$id"
	flock "$lock" # so that the end is not recorded yet
	"$SBX" kill "$c" >out 3>&- {lock}<&- &
	killer=$! waits=no
	its_process_waits() { # the client's, which does it
		grep -qE -e "-> FLOCK .* ($(pgrep -d '|' -P "$killer")) " /proc/locks
	}
	eventually its_process_waits && waits=yes
	exec {lock}<&-
	equal "$waits" yes
	wait "$killer"
	equal "$(cat out)" "$c"
	equal "$(sbx rm "$c")" "$c"
}

@test "kill takes a signal by name and by number" {
	behind run --name "$c" "$box" sh -c '
		for s in USR1 USR2 HUP; do trap "echo $s" $s; done
		echo up; while :; do usleep 20000; done'
	line
	for pair in USR1:USR1 SIGUSR2:USR2 1:HUP usr1:USR1; do
		sbx kill -s "${pair%:*}" "$c" >/dev/null
		line
		equal "$REPLY" "${pair#*:}"
	done
	running "$c"
}

@test "a bad signal is told" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -1 --separate-stderr sbx kill -s NONSENSE "$c"
	contains "$stderr" "nvalid signal: NONSENSE"
	running "$c"
}

@test "kill of what does not run is 1" {
	id=$(sbx create --name "$c" "$box" true)
	for said in "$c" "$id" "${id:0:12}"; do
		run -1 --separate-stderr sbx kill "$said"
		equal "$stderr" "Error response from daemon: cannot kill container: $said: container $id is not running"
	done
	run -1 --separate-stderr sbx kill "$c-none"
	contains "$stderr" "No such container: $c-none"
}

@test "a command that stopped itself is killed all the same" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "sh -c 'kill -STOP \$\$'; exec sleep $nap" >/dev/null
	sbx kill "$c"
	eventually ended "$c"
}

@test "with --init a signal right after the start is not lost" {
	needs_static
	for i in 1 2 3 4 5; do
		sbx run -d --name "$c-$i" --init "$box" sleep 100000 >/dev/null
		sbx stop -t 20 "$c-$i" >/dev/null
		equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c-$i")" 143
	done
}

@test "restart keeps a container of --rm; its end removes it" {
	sbx run -d --rm --name "$c" "$box" sleep "$(a_nap)"
	sbx exec "$c" touch /kept
	sbx restart -t 0 "$c"
	sbx exec "$c" test -e /kept
	equal "$(sbx inspect -f '{{.HostConfig.AutoRemove}}' "$c")" true
	sbx stop -t 0 "$c"
	eventually missing "$c"
}

@test "restart --time is the old spelling of --timeout, of which docker warns" {
	sbx run -d --name "$c" "$box" sleep "$(a_nap)"
	run -0 --separate-stderr sbx restart --time 0 "$c"
	equal "$output" "Flag --time has been deprecated, use --timeout instead
$c"
}

# crowd N: connects N clients to the supervisor of $c, until a line is written to ${crowd[1]}.
crowd() {
	coproc crowd { python3 -c '
import os, socket, sys
os.chdir(sys.argv[1])
all = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(int(sys.argv[3]))]
for one in all:
    one.connect(sys.argv[2] + ".ctl")
print("there", flush=True)
sys.stdin.readline()' "$SBX_RUNTIME/c" "$(sbx inspect -f '{{.Id}}' "$c")" "$1"; }
	background+=("$!")
	read -rt 90 -u "${crowd[0]}"
	equal "$REPLY" there
}

supervisor() {
	ps -o ppid= -p "$(sbx inspect -f '{{.State.Pid}}' "$c")" | tr -d ' '
}

@test "a container that is restarted is stopped, and updated, however many are attached to it" {
	sbx run -d --name "$c" --restart always "$box" sleep "$(a_nap)" >/dev/null
	crowd 100
	sbx update --restart on-failure --timeout 100000s "$c" >/dev/null
	sbx stop -t 0 "$c"
	equal "$(sbx inspect -f '{{.State.Status}} {{.RestartCount}}' "$c")" "exited 0"
	equal "$(sbx wait --result fd:1 "$c" | sed -n 's/.*"enforced_by":{\([^}]*\)}.*/\1/p')" '"timeout":"timer"'
}

@test "a supervisor whose descriptors are all in use sleeps, and hears who waits when one is free" {
	(ulimit -n 64 && sbx run -d --name "$c" "$box" sleep "$(a_nap)" >/dev/null)
	crowd 70
	eventually grep -q '^State:.S' "/proc/$(supervisor)/status"
	echo >&"${crowd[1]}"
	sbx update --timeout 1ms "$c" >/dev/null
	equal "$(sbx wait "$c")" 124
}

logged() {
	sbx logs "$1" | grep -q "$2"
}

@test "stop, kill and rm -f get through to a container whose supervisor is stopped, as all of a suspended job is" {
	for how in "stop -t 0" kill "rm -f"; do
		sbx run -d --name "$c" --restart always "$box" sleep 100000 >/dev/null
		kill -STOP "$(supervisor "$c")" "$(sbx inspect -f '{{.State.Pid}}' "$c")"
		# shellcheck disable=SC2086
		equal "$(sbx $how "$c")" "$c"
		[ "$how" = "rm -f" ] || equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 137"
		sbx rm -f "$c" >/dev/null 2>&1 || true
	done
}

@test "who stops a container does not wait for the end of a life that begins meanwhile" {
	mkfifo end
	sbx run -d --name "$c" -v "$PWD:/d" "$box" sh -c 'trap "echo told" TERM; echo up; read -r _ </d/end; read -r _ </d/end' >/dev/null
	eventually logged "$c" up
	"$SBX" stop -t 100000 "$c" >stopped 3>&- &
	eventually logged "$c" told
	stopper=$(pgrep -P $!) # the client's process, which does it
	kill -STOP "$stopper"
	echo >end
	eventually ended "$c"
	sbx start "$c" >/dev/null
	kill -CONT "$stopper"
	wait $!
	running "$c"
	sbx rm -f "$c" >/dev/null
}

# It sleeps in a call to a FUSE of its own, whose server is a process of another container.
@test "who cannot be killed is told of, as docker does, and ends when the kernel lets go of him" {
	[ -c /dev/fuse ] || skip "no package gives it: /dev/fuse"
	mkdir v
	cat >v/server <<'END'
import os, socket
s = socket.socket(socket.AF_UNIX)
s.bind("/v/socket")
s.listen()
fuse = socket.recv_fds(s.accept()[0], 1, 1)[1][0]
while True:
    os.read(fuse, 1 << 18)
    print("asked", flush=True)
END
	cat >v/client <<'END'
import ctypes, os, socket, struct
fuse = os.open("/dev/fuse", os.O_RDWR)
if ctypes.CDLL(None).mount(b"x", b"/tmp", b"fuse", 6, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse):
    raise SystemExit("mount")
unique = struct.unpack_from("=IIQ", os.read(fuse, 1 << 18))[2]
os.write(fuse, struct.pack("=IiQ", 80, 0, unique) + struct.pack("=IIIIHHIIHH8I", 7, 31, 65536, 1, 0, 0, 65536, *[0] * 11))
s = socket.socket(socket.AF_UNIX)
s.connect("/v/socket")
socket.send_fds(s, [b"x"], [fuse])
os.close(fuse)
os.stat("/tmp/x")
END
	sbx run -d --name "$c-server" -v "$PWD/v:/v" "$py" python3 -S /v/server >/dev/null
	eventually test -S v/socket
	sbx run -d --name "$c" --cap-add SYS_ADMIN --device /dev/fuse -v "$PWD/v:/v" "$py" python3 -S /v/client >/dev/null
	eventually logged "$c-server" asked
	why="tried to kill container, but did not receive an exit event"
	run -1 sbx stop -t 0 "$c"
	equal "$output" "Error response from daemon: cannot stop container: $c: $why"
	run -1 sbx rm -f "$c"
	equal "$output" "Error response from daemon: cannot remove container \"$c\": could not kill: $why"
	running "$c"
	sbx kill "$c-server" >/dev/null
	equal "$(sbx wait "$c")" 137
	sbx rm "$c" "$c-server" >/dev/null
}

# traced HOW END OPTION...: a container in which a child of the first process traces that one and never lets it go on: the
# tracer is told of its exit first (HOW 64, PTRACE_O_TRACEEXIT), or alone can wait for it (0). Then the first one does END.
traced() {
	local how=$1 end=$2
	[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -lt 2 ] ||
		skip "no package gives it: leave to trace (kernel.yama.ptrace_scope)"
	shift 2
	sbx run --name "$c" --cap-add SYS_PTRACE "$@" "$py" python3 -uSc "
import ctypes, os, signal
traced = os.pipe()
first = os.getpid()
if os.fork() == 0:
	os.setsid()
	os.write(traced[1], b'%d' % ctypes.CDLL(None).ptrace(0x4206, first, None, ctypes.c_void_p($how)))
	while True: signal.pause()
print('traced', os.read(traced[0], 1))
$end"
}

@test "who traces the first process keeps a container from ending only until he is killed himself" {
	for options in "" "--pid host"; do
		traced 64 'signal.pause()' -d $options >/dev/null
		eventually eval '[ "$(sbx logs "$c")" = "traced b'"'0'"'" ]'
		equal "$(sbx stop -t 0 "$c")" "$c"
		equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 137"
		sbx start "$c" >/dev/null
		eventually eval '[ "$(sbx logs "$c" | wc -l)" = 2 ]'
		equal "$(sbx kill "$c")" "$c"
		sbx start "$c" >/dev/null
		eventually eval '[ "$(sbx logs "$c" | wc -l)" = 3 ]'
		equal "$(sbx rm -f "$c")" "$c"
	done
}

@test "... also where there are many, and one stops all who come in to kill them" {
	traced 64 "
for i in range(150):
	if os.fork() == 0:
		os.setsid()
		while True: signal.pause()
print('many')
if os.fork() == 0:
	os.setsid()
	while True:
		try: os.kill(-1, signal.SIGSTOP)
		except ProcessLookupError: pass
signal.pause()" -d >/dev/null
	eventually logged "$c" many
	equal "$(sbx rm -f "$c")" "$c"
}

@test "... and hides no end of it, where processes outlive the first one" {
	run -7 traced 0 'os._exit(7)' --pid host --result result
	equal "$output" "traced b'0'"
	equal "$(python3 -c 'import json; r = json.load(open("result")); print(r["reason"], r["exit_code"])')" "exited 7"
	sbx rm "$c" >/dev/null
	for how in 0 64; do
		run -124 traced "$how" 'signal.pause()' --pid host --timeout 2s --rm
	done
}

# tracer HOW: the program of a container, $c-tracer, that traces the first process called "sh" it sees, and never waits for it.
tracer() {
	[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2>/dev/null || echo 0)" -lt 2 ] ||
		skip "no package gives it: leave to trace (kernel.yama.ptrace_scope)"
	sbx run -d --name "$c-tracer" --cap-add SYS_PTRACE "$py" python3 -uSc "
import ctypes, os, signal
while True:
	for p in filter(str.isdigit, os.listdir('/proc')):
		try: name = open(f'/proc/{p}/comm').read()
		except OSError: continue
		if name == 'sh\n' and ctypes.CDLL(None).ptrace(0x4206, int(p), None, ctypes.c_void_p($1)) == 0:
			print('traced')
			while True: signal.pause()" >/dev/null
}

has_worked() {
	python3 -c 'import json; r = json.load(open("result")); assert r["user"] + r["system"] > 0, r'
}

@test "... nor does a process of another container that shares its processes" {
	tracer 0
	mkfifo in
	sbx run -i --name "$c" --pid "container:$c-tracer" --result result "$box" sh -c 'read -r line' <in 3>&- &
	client=$!
	exec 4>in
	eventually logged "$c-tracer" traced
	echo 1 >&4
	exec 4>&-
	client_ends
	equal "$status" 0
	running "$c-tracer"
	sbx rm -f "$c" "$c-tracer" >/dev/null
	tracer 0
	run -124 sbx run --rm --timeout 3s --pid "container:$c-tracer" --result result "$box" sh -c 'while :; do :; done'
	logged "$c-tracer" traced
	has_worked
	sbx rm -f "$c-tracer" >/dev/null
}

@test "... nor of an exec that is to end, or what that has used" {
	for how in 0 64; do
		tracer "$how"
		run -124 sbx exec --timeout 3s --result result "$c-tracer" sh -c 'while :; do :; done'
		logged "$c-tracer" traced
		has_worked
		sbx rm -f "$c-tracer" >/dev/null
	done
}

@test "what an exec leaves in namespaces of its own ends with the container, where processes outlive the first one" {
	nap=$(a_nap)
	sbx run -d --name "$c" --pid host --security-opt seccomp=unconfined "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	sbx exec "$c" sh -c "unshare -Urm sleep $nap >/dev/null 2>&1 &"
	sbx exec -d "$c" unshare -Urm sleep "$nap"
	sbx exec -d "$c" unshare -Urmpf sleep "$nap"
	eventually sleeps "$nap" 4
	sbx rm -f "$c" >/dev/null
	eventually sleeps "$nap" 0
}

@test "... but not another container that shares its network, or the network of such a one" {
	nap=$(a_nap)
	sbx run -d --name "$c" --pid host "$box" sleep "$nap" >/dev/null
	sbx run -d --name "$c-other" --network "container:$c" "$box" sleep "$nap" >/dev/null
	sbx run -d --name "$c-third" --network "container:$c-other" "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap" 3
	sbx rm -f "$c-other" >/dev/null
	sleeps "$nap" 2
	sbx rm -f "$c" >/dev/null
	sleeps "$nap"
	running "$c-third"
	sbx rm -f "$c-third" >/dev/null
	sleeps "$nap" 0
}

@test "... also if its runtime files are gone" {
	nap=$(a_nap)
	sbx run -d --name "$c" --pid host "$box" sleep "$nap" >/dev/null
	id=$(sbx run -d --name "$c-other" --network "container:$c" "$box" sleep "$nap")
	eventually sleeps "$nap" 2
	rm "$SBX_RUNTIME/c/$id."*
	sbx rm -f "$c" >/dev/null
	sleeps "$nap"
	running "$c-other"
	sbx rm -f "$c-other" >/dev/null
	sleeps "$nap" 0
}
