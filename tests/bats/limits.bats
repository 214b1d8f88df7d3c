load lib

hog='import sys
n = int(sys.argv[1]) << 20
b = bytearray(n)
for i in range(0, n, 4096): b[i] = 1
print("held", flush=True)'

first_cpu() {
	awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status | sed 's/[-,].*//'
}

@test "-m: what takes more is killed, 137 and OOMKilled" {
	run -137 sbx run --name "$c" -m 64m "$py" python3 -c "$hog" 300
	lacks "$output" held
	equal "$(sbx inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' "$c")" "true 137"
}

@test "-m: what stays below is let be" {
	equal "$(sbx run --rm -m 256m "$py" python3 -c "$hog" 64)" held
}

@test "-m may be the largest number there is" {
	most=9223372036854774784 # docker parses sizes as floats: the largest below 2^63, from where they become negative
	run -125 --separate-stderr sbx run --rm -m 9223372036854775807 "$box" true
	contains "$stderr" "Minimum memory limit allowed is 6MB"
	equal "$(sbx run --rm -m $most "$box" sh -c 'sleep 0; echo lived')" lived
	sbx run -d --name "$c" "$box" sleep 99
	equal "$(sbx exec -m $most "$c" sh -c 'sleep 0; echo lived')" lived
}

@test "-m holds for several processes together" {
	run -137 sbx run --name "$c" -m 96m "$py" python3 -c '
import os, time
for i in range(8):
	if os.fork() == 0:
		b = bytearray(40 << 20)
		for i in range(0, len(b), 4096): b[i] = 1
		time.sleep(100)
for i in range(8):
	if os.wait()[1] == 9: os._exit(137)'
	equal "$(sbx inspect -f '{{.State.OOMKilled}}' "$c")" true
}

@test "-m counts files in /dev/shm" {
	run sbx run --name "$c" -m 64m --shm-size 512m "$py" python3 -c '
import time
with open("/dev/shm/f", "wb") as f:
	for i in range(300): f.write(bytes(1 << 20)); f.flush()
print("held", flush=True)
time.sleep(100000)'
	[ "$status" -ne 0 ]
	lacks "$output" held
}

@test "-m holds for an exec" {
	sbx run -d --name "$c" -m 64m "$py" sleep 100000 >/dev/null
	run sbx exec "$c" python3 -c "$hog" 300
	[ "$status" -eq 137 ]
}

@test "-m that makes no sense is told" {
	run -125 sbx run --rm -m nonsense "$box" true
	run -125 --separate-stderr sbx run --rm -m 1k "$box" true
	contains "$stderr" "Minimum memory limit"
}

@test "--pids-limit: no more processes than that" {
	run -0 sbx run --rm --pids-limit 10 "$py" python3 -c '
import os, time
n = 1
try:
	while n < 50:
		if os.fork() == 0: time.sleep(1000)
		n += 1
except OSError as e: print(e.strerror)
print(n)'
	equal "${lines[0]}" "Resource temporarily unavailable"
	[ "${lines[1]}" -ge 8 ] && [ "${lines[1]}" -le 10 ]
}

@test "--pids-limit: a fork bomb is harmless and ends with its container" {
	nap=$(a_nap)
	sbx run -d --name "$c" --pids-limit 30 "$box" sh -c "
		f() { f & f & }; (f 2>/dev/null) & exec sleep $nap" >/dev/null # a shell that cannot fork exits
	eventually sleeps "$nap"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	[ "$(readlink "/proc/$pid/ns/pid")" != "$(readlink /proc/self/ns/pid)" ]
	sbx rm -f "$c"
	sleeps "$nap" 0
}

@test "--pids-limit of one container is not another's" {
	sbx run -d --name "$c-1" --pids-limit 20 "$box" sh -c 'i=0; while [ $i -lt 15 ]; do sleep 100000 & i=$((i+1)); done; wait' >/dev/null
	sbx run --rm --pids-limit 20 "$box" sh -c 'i=0; while [ $i -lt 15 ]; do sleep 0 & i=$((i+1)); done; wait; echo fine'
}

@test "--ulimit" {
	equal "$(sbx run --rm --ulimit nofile=123:456 "$box" sh -c 'ulimit -Sn; ulimit -Hn')" $'123\n456'
	equal "$(sbx run --rm --ulimit core=0 "$box" sh -c 'ulimit -c')" 0
	run -125 --separate-stderr sbx run --rm --ulimit nonsense=1 "$box" true
}

@test "--shm-size" {
	equal "$(sbx run --rm --shm-size 2m "$box" sh -c 'df -k /dev/shm | tail -n 1 | tr -s " " | cut -d " " -f 2')" 2048
	equal "$(sbx run --rm "$box" sh -c 'df -k /dev/shm | tail -n 1 | tr -s " " | cut -d " " -f 2')" 65536
}

# held MEGABYTES: the peak in the last result is below this.
held() {
	[ "$(python3 -c 'import json,sys; print(json.load(open("result"))["peak_memory"] >> 20)')" -lt "$1" ]
}

result() {
	python3 -c 'import json,sys; print(json.load(open("result"))[sys.argv[1]])' "$1"
}

@test "-m 64m ends a writer to a memory file system before 128 MB are held" {
	run sbx run --rm -m 64m --tmpfs /t:size=1g --result result "$py" python3 -c '
f = open("/t/f", "wb")
for i in range(1000): f.write(bytes(1 << 20)); f.flush()'
	[ "$status" -ne 0 ]
	held 128
}

@test "-m: the child that takes too much dies, its parent and an idle neighbour do not" {
	sbx run -d --name "$c" -m 96m "$py" sleep 100000 >/dev/null
	run -137 sbx exec --result result "$c" python3 -c "$hog" 300
	equal "$(result reason) $(result oom_killed)" "oom True"
	running "$c"
	run -0 sbx exec --result result "$c" true
	equal "$(result reason) $(result oom_killed)" "exited False"
}

@test "what cannot be enforced is said, and what enforces is told" {
	run -0 --separate-stderr sbx run --rm -m 64m --cpus 1 --cpuset-cpus "$(first_cpu)" --result result "$box" nproc
	equal "$output" 1
	case $(result enforced_by) in
	*"'cpus': 'none'"*) contains "$stderr" "WARNING: --cpus has no effect" ;;
	*) lacks "$stderr" --cpus ;;
	esac
	contains "$(result enforced_by)" "'memory': "
}

@test "processors that are not there are refused in docker's words" {
	run -125 --separate-stderr sbx run --rm --cpuset-cpus 900 "$box" true
	contains "$stderr" "Requested CPUs are not available - requested 900, available: "
	run -125 --separate-stderr sbx run --rm --cpus 900 "$box" true
	contains "$stderr" "ange of CPUs is from 0.01 to "
}

@test "run --cpu-time" {
	run -137 sbx run --rm --cpu-time 300ms --result result "$box" sh -c 'while :; do :; done'
	equal "$(result reason)" cpu-time
}

# Children that are not waited for, so that the kernel forgets their processor time.
forgotten='
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for i in range(100):
	if os.fork() == 0:
		while time.process_time() < 0.1: pass
		os._exit(0)
	try: os.wait()
	except ChildProcessError: pass
print("evaded")'

@test "--cpu-time, of run and of exec, holds for children that their parent ignores" {
	run -137 --separate-stderr sbx run --rm --cpu-time 1s --result result "$py" python3 -c "$forgotten"
	equal "$output$(result reason)" cpu-time
	python3 -c 'import json; r = json.load(open("result")); assert 0.999 < r["user"] + r["system"], r'
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	run -137 --separate-stderr sbx exec --cpu-time 1s --result result "$c" python3 -c "$forgotten"
	equal "$output$(result reason)" cpu-time
	python3 -c 'import json; r = json.load(open("result")); assert 0.999 < r["user"] + r["system"], r'
}

@test "run --cpu-time counts what execs used" {
	sbx run -d --name "$c" --cpu-time 2s "$py" sleep 100000 >/dev/null
	for _ in {1..20}; do
		sbx exec "$c" python3 -c 'import time
while time.process_time() < 0.3: pass' || break
	done
	eventually ended "$c"
	equal "$(sbx wait --result fd:1 "$c" | grep -o '"reason":"[a-z-]*"')" '"reason":"cpu-time"'
}

@test "exec -m: what was exec'ed and takes more is killed, the container and other execs live" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	behind exec "$c" python3 -c '
x = b"x" * (100 << 20)
print("has it", flush=True)
import time; time.sleep(100000)'
	line
	run -137 sbx exec -m 64m --result result "$c" python3 -c "$hog" 300
	lacks "$output" held
	equal "$(result reason) $(result oom_killed) $(result enforced_by)" "oom True {'memory': 'watch'}"
	held 128
	run -0 sbx exec -m 64m --result result "$c" python3 -c "$hog" 20
	equal "$(result reason)" exited
	running "$c"
	kill -0 "$client"
}

@test "exec -m: several processes, shared memory, another user, one that may not be looked at" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	run -137 sbx exec -m 64m --result result "$c" python3 -c '
import os, time
for i in range(8):
	if os.fork() == 0:
		b = bytearray(40 << 20)
		for i in range(0, len(b), 4096): b[i] = 1
		time.sleep(100000)
for i in range(8):
	if os.wait()[1] == 9: os.kill(os.getpid(), 9)'
	equal "$(result oom_killed)" True
	run -137 sbx exec -m 64m "$c" python3 -c '
import mmap
m = mmap.mmap(-1, 300 << 20)
for i in range(0, len(m), 4096): m[i] = 1
print("held", flush=True)'
	lacks "$output" held
	run -137 sbx exec -m 64m -u 1234 "$c" python3 -c "$hog" 300
	run -137 sbx exec -m 64m "$c" python3 -c "
import ctypes
assert ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0
$hog" 300
}

@test "exec --pids-limit ends what has more, and no more than that" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 100000 & done; wait' >/dev/null
	run -137 sbx exec --pids-limit 5 --result result "$c" sh -c "while :; do sleep $nap & done"
	equal "$(result reason)" pids
	sleeps "$nap" 0
	run -0 sbx exec --pids-limit 5 --result result "$c" sh -c 'sleep 0 & sleep 0 & wait'
	equal "$(result reason)" exited
	running "$c"
}

@test "exec --cpuset-cpus and --ulimit" {
	sbx run -d --name "$c" --ulimit nofile=200:300 "$box" sleep 100000 >/dev/null
	last=$(nproc --all)
	cpu=$(first_cpu)
	equal "$(sbx exec --cpuset-cpus "$cpu" "$c" awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)" "$cpu"
	run -1 --separate-stderr sbx exec --cpuset-cpus "$((last + 7))" "$c" true
	contains "$stderr" "Requested CPUs are not available"
	equal "$(sbx exec --ulimit nofile=33:44 "$c" sh -c 'ulimit -Sn; ulimit -Hn')" $'33\n44'
	equal "$(sbx exec --ulimit core=0 "$c" sh -c 'ulimit -Sn; ulimit -Hn')" $'200\n300'
}

@test "exec --cpuset-cpus does not leave the container's processors" {
	cpus=$(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
	read -r cpu other _ <<<"$cpus"
	[ -n "$other" ] || lacking "a second processor"
	sbx run -d --name "$c" --cpuset-cpus "$cpu" "$box" sleep 100000 >/dev/null
	equal "$(sbx exec --cpuset-cpus "$cpu" "$c" awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)" "$cpu"
	run -1 --separate-stderr sbx exec --cpuset-cpus "$other" "$c" true
	contains "$stderr" "Requested CPUs are not available - requested $other, available: $cpu"
}

@test "limits of an exec that make no sense are told" {
	for bad in "-m 1k" "-m x" "--pids-limit x" "--timeout -1s" "--output-limit-action shout" "--ulimit x=1"; do
		# shellcheck disable=SC2086
		run -125 sbx exec $bad nobody true
	done
	for option in --timeout --kill-after --cpu-time; do
		run -125 sbx exec $option -1s nobody true
		equal "$output" "$option: a limit of time cannot be negative"
	done
}

@test "a result tells the status that the client ended with, whatever failed" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -127 sbx exec --result result "$c" nosuch
	equal "$(result exit_code) $(result reason)" "127 setup-error"
	run -1 sbx exec --result result nobody true
	equal "$(result exit_code) $(result reason)" "1 setup-error"
	run -127 sbx run --rm --result result "$box" nosuch
	equal "$(result exit_code) $(result reason)" "127 setup-error"
	run -125 sbx run --rm --result result "$box-nosuch" true
	equal "$(result exit_code) $(result reason)" "125 setup-error"
	run -125 sbx run -d --rm --result result "$box" true
	contains "$output" "nobody who is detached"
}

@test "a result that cannot be written is refused before anything runs; an older one does not outlive it" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	mkdir dir
	for where in not-there/result dir; do
		run -125 --separate-stderr sbx run --name "$c-2" --result "$where" "$box" echo ran
		equal "$output" ""
		contains "$stderr" "--result $where: "
		run -1 sbx inspect "$c-2"
		run -125 --separate-stderr sbx exec --result "$where" "$c" echo ran
		equal "$output" ""
		contains "$stderr" "--result $where: "
		run -1 sbx wait --result "$where" "$c"
	done
	echo old >result
	sbx run --rm --result result -v "$PWD:/here" "$box" cp /here/result /here/seen
	[ ! -s seen ]
	equal "$(result reason)" exited
	mkfifo pipe
	cat pipe >read &
	sbx run --rm --result pipe "$box" true
	wait $!
	contains "$(cat read)" '"reason":"exited"'
}

@test "a result that nobody reads any more leaves the client its program's status" {
	local unread='import os, subprocess, sys
ends = os.pipe()
os.close(ends[0])
sys.exit(subprocess.run([a.replace("fd:N", "fd:%d" % ends[1]) for a in sys.argv[1:]], pass_fds=ends[1:]).returncode)'
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -6 --separate-stderr python3 -c "$unread" "$SBX" run --rm --result fd:N "$box" sh -c 'exit 6'
	contains "$stderr" "WARNING: --result fd:"
	run -6 --separate-stderr python3 -c "$unread" "$SBX" exec --result fd:N "$c" sh -c 'exit 6'
	contains "$stderr" "WARNING: --result fd:"
	run -125 --separate-stderr python3 -c "$unread" "$SBX" run --result fd:N --nosuch
	contains "$stderr" "WARNING: --result fd:"
	sbx kill "$c" >/dev/null
	run -0 --separate-stderr python3 -c "$unread" "$SBX" wait --result fd:N "$c"
	equal "$output" 137
	contains "$stderr" "WARNING: --result fd:"
}

@test "a result of an earlier call does not outlive one that is refused, however early" {
	local line words
	for line in "run --nosuch $box true" "run" "run --restart nonsense $box true" "run -e = $box true" \
		"run -d $box true" "run -it $box true" "run No:Name:x true" "run --cidfile result $box true" \
		"run --isolation hyperv --io-maxiops 1 $box true" "run --detach-keys ctrl-nonsense $box true" \
		"exec --nosuch $c true" "exec $c" "exec -m 1k $c true" "exec -it $c true" "exec --env-file nosuch $c true" \
		"wait --nosuch $c" "wait $c" "wait"; do
		echo old >result
		read -ra words <<<"$line"
		run --separate-stderr sbx "${words[0]}" --result result "${words[@]:1}" </dev/null
		[ "$status" -ne 0 ]
		[ -n "$stderr" ]
		equal "$(result exit_code) $(result reason)" "$status setup-error"
		[ -n "$(result error)" ]
	done
	for line in "run $box" "exec $c" "wait $c"; do
		echo old >result
		read -ra words <<<"$line"
		run -125 --separate-stderr prlimit --stack=65536 "$SBX" "${words[0]}" --result result "${words[1]}"
		equal "$(result exit_code) $(result reason)" "125 setup-error"
		contains "$(result error)" "ulimit -s"
	done
	# options after the image are the program's
	run -125 prlimit --stack=65536 "$SBX" run "$box" prog --result kept
	[ ! -e kept ]
	# the reader of a pipe gets it, too
	equal "$(sbx run --result fd:3 --nosuch "$box" 3>&1 >/dev/null 2>&1 | grep -o '"reason":"[a-z-]*"')" '"reason":"setup-error"'
	# with --help nothing is written, and an error before --result does not know the file yet
	echo old >result
	sbx run --result result --help >/dev/null
	equal "$(cat result)" old
}

@test "a result tells that somebody killed it, by each way to do so, and by what signal" {
	for how in "kill" "kill -s USR1" "stop -t 0" "rm -f"; do
		sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
		behind wait --result result "$c"
		eventually connected "$client"
		# shellcheck disable=SC2086
		sbx $how "$c"
		if [ "$how" = "kill -s USR1" ]; then # pid 1 ignores it, so something else must end it
			running "$c"
			sbx exec "$c" python3 -c 'import os; os.kill(1, 9)' || true
			sbx kill "$c"
		fi
		client_ends
		equal "$how: $(result reason) $(result signal)" "$how: killed-by-user 9"
		sbx rm -f "$c" >/dev/null
	done
	# a signal ends it that nobody sent, after it was sent another one
	sbx run -d --name "$c" --init "$py" python3 -c '
import os, signal, time
signal.signal(signal.SIGUSR1, lambda *a: os.kill(os.getpid(), 15))
print("ready", flush=True)
while True: time.sleep(1)' >/dev/null
	said() { [ "$(sbx logs "$c")" = ready ]; }
	eventually said
	behind wait --result result "$c"
	eventually connected "$client"
	sbx kill -s USR1 "$c"
	client_ends
	equal "$(result reason) $(result signal) $(result exit_code)" "signalled 15 143"
}

@test "a result tells that an exec was killed because its client was, and why" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for signo in 1 15; do
		behind exec --result result "$c" sh -c "trap '' HUP TERM; sleep $nap & echo up; wait"
		line
		kill "-$signo" "$client"
		client_ends
		equal "$status $(result exit_code) $(result reason) $(result signal)" \
			"$((128 + signo)) $((128 + signo)) killed-by-user 9"
		eventually sleeps "$nap" 0
	done
	(sbx exec --result result "$c" sh -c "sleep $nap & while echo up; do :; done" || true) | head -n 1 >/dev/null
	equal "$(result reason)" client-gone
	eventually sleeps "$nap" 0
	# a client that ignores a signal is not ended by it
	trap '' HUP
	behind exec --result result "$c" sh -c 'echo up; until [ -e /go ]; do usleep 20000; done; exit 5'
	trap - HUP
	line
	kill -1 "$client"
	sbx exec "$c" touch /go
	client_ends
	equal "$status $(result reason)" "5 exited"
}

@test "wait --result tells all of a container that its end takes away, client-gone too" {
	behind run --rm --name "$c" "$box" sh -c 'echo runs; sleep 100000'
	line
	gone=$client
	behind wait --result result "$c"
	eventually connected "$client"
	kill -9 "$gone"
	line
	equal "$REPLY" 137
	client_ends
	equal "$(result reason) $(result signal)" "client-gone 9"
	missing "$c"
}

@test "exec --cpu-time counts all that the command started" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -137 sbx exec --cpu-time 300ms --result result "$c" sh -c '(while :; do :; done) & wait'
	equal "$(result reason)" cpu-time
	running "$c"
}

@test "exec --timeout --kill-after: asked first, 124, and nothing is left" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -124 sbx exec --timeout 3s --kill-after 60s --result result "$c" sh -c "
		trap 'echo asked; exit 5' TERM; setsid sleep $nap & while :; do sleep 0.05; done"
	equal "$output" asked
	equal "$(result reason)" timeout
	sleeps "$nap" 0
}

@test "exec --timeout: who stops or kills what is between does not get away" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -124 sbx exec --timeout 500ms "$c" sh -c "setsid sleep $nap & kill -STOP \$PPID; exec sleep $nap"
	sleeps "$nap" 0
	run -137 sbx exec "$c" sh -c "setsid sleep $nap & kill -KILL \$PPID; exec sleep $nap"
	eventually sleeps "$nap" 0
	running "$c"
}

@test "exec: a process whose first thread has ended does not get away, from its client's death or its limits" {
	mkdir here && mkfifo here/held
	sbx run -d --name "$c" -v "$PWD/here:/here" "$py" sleep 100000 >/dev/null
	hides='
import ctypes, os, sys, threading, time
def go_on():
	held = open("/here/held", "w")
	os.write(1, b"in\n")
	for i in range(int(sys.argv[1])):
		kept.append(b"x" * (1 << 20))
		time.sleep(0.001)
	time.sleep(100000)
kept = []
if sys.argv[1] == "0" and os.fork(): time.sleep(100000)
os.setsid() if sys.argv[1] == "0" else None
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)'
	timeout 100 cat here/held 3>&- &
	reader=$!
	behind exec "$c" python3 -c "$hides" 0
	line
	kill -9 "$client"
	wait "$reader" # the pipe's other end is closed
	timeout 100 cat here/held 3>&- &
	run -137 sbx exec -m 64m --result result "$c" python3 -c "$hides" 600
	equal "$(result reason)" oom
	wait "$!"
	running "$c"
}

@test "exec --output-limit drops, or kills" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx exec --output-limit 1000 --result result "$c" sh -c 'yes | head -c 5000' | wc -c)" 1000
	equal "$(result truncated) $(result stdout_bytes) $(result reason)" "True 1000 exited"
	run -137 sbx exec --output-limit 1000 --output-limit-action kill --result result "$c" yes
	equal "$(result reason)" output-limit
}

@test "exec: what ended by itself before --output-limit-action kill reached it has its own end" {
	sbx run -d --name "$c" -v "$PWD:/w" "$box" sleep 100000 >/dev/null
	"$SBX" exec --output-limit 10 --output-limit-action kill --result result "$c" \
		sh -c 'echo runs; until [ -e /w/go ]; do sleep 0.1; done; echo 0123456789; exit 3' >out 3>&- &
	client=$!
	background+=("$client")
	eventually [ -s out ]
	kill -STOP "$client" # which reads the output
	guard=$(tr -d " " <"/proc/$client/task/$client/children")
	touch go
	eventually grep -q '^State:.Z' "/proc/$guard/status"
	kill -CONT "$client"
	status=0
	wait "$client" || status=$?
	equal "$status $(result reason) $(result truncated)" "3 exited True"
}

@test "wait --result, and a result of what never ran" {
	sbx run -d --name "$c" "$box" sh -c 'exit 4' >/dev/null
	equal "$(sbx wait --result result "$c")" 4
	equal "$(result exit_code) $(result reason)" "4 exited"
	run -127 sbx run --rm --result result "$box" no-such-command
	equal "$(result exit_code) $(result reason)" "127 setup-error"
}

# Whom the check asks for /bin/sh is told before it has it, by a lease of that file, and stops all that is there but itself.
# $1: what it does then
stops_checks() {
	printf '%s\n' 'import fcntl, os, signal' \
		'def asked(*_):' '    os.kill(-1, signal.SIGSTOP)' "    $1" \
		'signal.signal(signal.SIGIO, asked)' \
		'os.unlink("/bin/sh")' 'open("/bin/sh", "w").close()' 'os.chmod("/bin/sh", 0o755)' \
		'fd = os.open("/bin/sh", os.O_RDONLY)' \
		'def leased():' '    try: fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)' \
		'    except BlockingIOError: return False  # a check has it open already' '    return True' \
		'while not leased(): pass' \
		'while True: signal.pause()'
}

@test "who stops a health check before it has begun holds up no limit, and not the check's own" {
	local status
	status=0
	timeout 100 "$SBX" run --name "$c" -m 64m --health-cmd true --health-interval 10ms \
		"$py" python3 -c "$(stops_checks 'bytearray(os.urandom(1 << 20) * 256)')" || status=$?
	equal "$status" 137
	equal "$(sbx inspect -f '{{.State.OOMKilled}}' "$c")" true
	sbx rm "$c"
	status=0
	timeout 100 "$SBX" run --rm --timeout 2s --health-cmd true --health-interval 10ms \
		"$py" python3 -c "$(stops_checks pass)" || status=$?
	equal "$status" 124
	sbx run -d --name "$c" --health-cmd true --health-interval 10ms --health-timeout 100ms \
		"$py" python3 -c "$(stops_checks pass)" >/dev/null
	late() { [[ $(sbx inspect -f '{{json .State.Health.Log}}' "$c") == *'"ExitCode":-1,"Output":"Health check exceeded timeout'* ]]; }
	eventually late
	sbx rm -f "$c"
}

@test "the watch of an idle container costs next to nothing" {
	sbx run -d --name "$c" -m 256m "$box" sleep 100000 >/dev/null
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	read -r _ _ _ supervisor _ <"/proc/$pid/stat"
	cheap() { # for three seconds; again if the machine was too busy
		local before
		before=$(cut -d' ' -f1 "/proc/$supervisor/schedstat")
		read -rt 3 _ <>"$BATS_FILE_TMPDIR/never" || true
		[ $(($(cut -d' ' -f1 "/proc/$supervisor/schedstat") - before)) -lt $((15000000 * ${SBX_TEST_SLOW:-1})) ]
	}
	cheap || cheap || cheap || cheap || cheap
}

# The memory that forks share is counted for each of them until page tables are walked, for which all are stopped.
@test "the watch lets forks sleep that share what all together would pass the limit with" {
	switches() { # a process that is stopped switches twice
		sed -n "s/^voluntary_ctxt_switches:\t//p" "${@/%//status}"
	}
	sbx run -d --name "$c" -m 64m "$py" python3 -c '
import os, time
b = bytearray(16 << 20)
for i in range(0, len(b), 4096): b[i] = 1
for i in range(8):
	if os.fork() == 0: break
print("there", flush=True)
time.sleep(100000)' >/dev/null
	all() { [ "$(sbx logs "$c" | grep -c there)" -eq 9 ]; }
	eventually all
	mapfile -t forks < <(sbx top "$c" -o pid | tail -n +2)
	forks=("${forks[@]/#//proc/}")
	read -r _ _ _ supervisor _ <"${forks[0]}/stat"
	looks=80
	sbx doctor | grep -q "memory by the supervisor's watch" || looks=0 # a control group enforces the limit
	looked() { [ "$(switches "/proc/$supervisor")" -ge "$1" ]; }
	rest() { # on a busy machine some looks have to stop them, as other memory comes and goes, but not every look
		mapfile -t before < <(switches "${forks[@]}")
		eventually looked $(($(switches "/proc/$supervisor") + looks))
		mapfile -t after < <(switches "${forks[@]}")
		for i in "${!before[@]}"; do
			((after[i] - before[i] <= looks / 2)) || return
		done
	}
	rest || rest || rest || rest || rest || equal "${after[*]}" "${before[*]}"
}

@test "a control group of our own is used, joined by exec and removed" {
	hierarchy=$(sed -n 's/^[0-9]*:memory://p' /proc/self/cgroup)
	dir=/sys/fs/cgroup/memory$hierarchy
	if [ -z "$hierarchy" ]; then
		dir=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
	fi
	# Not "lacking": on few machines an ordinary user has one, and no package helps.
	[ -w "$dir" ] || skip "no package gives it: this user may write no memory control group"
	sbx run -d --name "$c" -m 64m "$py" sleep 100000 >/dev/null
	group=$(echo "$dir"/sbx-"$(sbx inspect -f '{{.Id}}' "$c")")
	[ -d "$group" ] || skip "no package gives it: this user may write no memory control group"
	input=/dev/null behind exec "$c" sh -c 'echo in; sleep 100000'
	line
	[ "$(wc -l <"$group/cgroup.procs")" -ge 2 ]
	sbx rm -f "$c"
	[ ! -d "$group" ]
}
