# --result compared with what the program itself and its caller measure. No figures are expected: each must lie between two
# others.
load lib

# between OPTIONS...: runs `sbx OPTIONS python3 -c` with the last program(), which prints what it measured, and compares that and
# the time around it with the result.
between() {
	python3 - "$SBX" "$@" "$py_code" <<-'END'
		import json, resource, subprocess, sys, time
		began = time.monotonic()
		p = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
		around = time.monotonic() - began
		r = json.load(open("result"))
		own = json.loads(p.stdout)
		print(r, own, around)
		assert own["wall"] <= r["wall"] <= around
		# the kernel rounds both to ticks
		assert own["cpu"] - 0.02 <= r["user"] + r["system"], "processor time"
		assert own["peak"] <= r["peak_memory"], "memory"
		assert r["exit_code"] == p.returncode
		assert r["stdout_bytes"] == len(p.stdout)
		for key, value in own.get("exactly", {}).items():
		    assert r[key] == value, key
	END
}

# program PYTHON: sets $py_code to the code with measurements at its end.
program() {
	py_code="import json, os, resource, time
began = time.monotonic()
$1
kinds = [resource.getrusage(k) for k in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(json.dumps({'wall': time.monotonic() - began, 'cpu': sum(k.ru_utime + k.ru_stime for k in kinds),
    'peak': max(k.ru_maxrss for k in kinds) << 10, 'exactly': {'truncated': False, 'oom_killed': False}}), flush=True)
${2:-}"
}

each_program() {
	program 'n = 0
while n < 3000000: n += 1'
	"$@"
	program 'for i in range(100000): os.stat("/")'
	"$@"
	program 'b = bytearray(70 << 20)
for i in range(0, len(b), 4096): b[i] = 1'
	"$@"
	program 'time.sleep(0.2)'
	"$@"
	program 'for i in range(3):
	if os.fork() == 0:
		b = bytearray(i * 20 << 20)
		for i in range(0, len(b), 4096): b[i] = 1
		os._exit(0)
for i in range(3): os.wait()'
	"$@"
	program pass 'os._exit(9)'
	"$@"
}

ran() {
	between run --rm --result result "$@" "$py" python3 -c
}

@test "the result of a run lies between what the program and its caller measured" {
	each_program ran
}

@test "... with a limit of memory, and with --init" {
	each_program ran -m 512m --init
}

@test "what forks have in common counts once in the peak, and what they copy for each" {
	code='import os, sys
pipes = [os.pipe() for i in range(3)] # those that are ready write to 1; all end when 2 is closed
b = bytearray(64 << 20)
def touch():
    for i in range(0, len(b), 4096): b[i] = 1
touch()
for i in range(8):
    if os.fork() == 0:
        os.close(pipes[2][1])
        if sys.argv[1] == "copy": touch()
        os.write(pipes[1][1], b"x")
        os.read(pipes[2][0], 1)
        os._exit(0)
for i in range(8): os.read(pipes[1][0], 1)
print("all", flush=True)
sys.stdin.read()'
	for how in share copy; do
		mkfifo "$how"
		exec {in}<>"$how"
		input=$how behind run -i -m 2g --name "$c-$how" --result "$how.json" "$py" python3 -S -c "$code" "$how"
		line
		equal "$REPLY" all
		for _ in {1..20}; do
			sbx exec "$c-$how" true # the watch looks at each exec
		done
		sbx kill "$c-$how"
		client_ends
		exec {in}>&-
	done
	python3 - <<-'END'
		import json
		share, copy = (json.load(open(f + ".json"))["peak_memory"] >> 20 for f in ("share", "copy"))
		assert 64 <= share < 2 * 64, share
		assert 2 * 64 < copy < 10 * 64, copy # the exact figure depends on how often it was measured
	END
}

@test "... with --init, of what the program leaves behind as well" {
	run -0 sbx run --rm --init --result result "$py" sh -c 'python3 -c "
import time
while time.process_time() < 1: pass
open(\"/tmp/in\", \"w\")
while True: pass" &
		until [ -e /tmp/in ]; do sleep 0.02; done'
	python3 -c 'import json; r = json.load(open("result")); assert r["user"] + r["system"] > 0.99, r'
}

@test "times are told in microseconds, and everywhere the same" {
	sbx run --name "$c" --result result "$py" python3 -S -c 'for i in range(30000): pass' # a time that is no exact binary fraction
	sbx wait --result waited "$c"
	equal "$(cat waited)" "$(cat result)"
	sbx inspect "$c" >inspected
	for key in wall user system; do
		equal "$(grep -Eo "\"$key\":[0-9]+\.[0-9]{1,6}[,}]" result | grep -Eo '[0-9.]+')" \
			"$(sed -nE "s/^ *\"$key\": ([0-9.]+),?$/\1/p" inspected)"
	done
}

execed() {
	between exec --result result "$c" python3 -c
}

@test "the result of an exec lies between what the program and its caller measured" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	each_program execed
}

@test "signals that end a program are told, of an exec and behind an --init" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	for signal in 1 2 3 6 7 8 9 10 11 13 14 15 24 31; do
		run -$((128 + signal)) sbx exec --result result "$c" python3 -S -c "
import os, signal
signal.signal($signal, signal.SIG_DFL) if $signal != 9 else None
os.kill(os.getpid(), $signal)"
		equal "$(python3 -c 'import json; r = json.load(open("result")); print(r["signal"], r["reason"], r["exit_code"])')" \
			"$signal signalled $((128 + signal))"
	done
	# --init exits as its program did, with docker's numbers, which are not the signal
	run -139 sbx run --rm --init --result result "$py" python3 -c 'import os; os.kill(os.getpid(), 11)'
	equal "$(told signal reason exit_code)" "11 signalled 139"
	run -139 sbx run --rm --init --result result "$box" sh -c 'exit 139'
	equal "$(told signal reason exit_code)" "None exited 139"
}

@test "... by hand, for memory or for time, behind an --init as without one" {
	sbx run -d --init --name "$c" "$box" sleep 100000 >/dev/null
	sbx stop -t 600 "$c" >/dev/null
	sbx wait --result result "$c" >/dev/null
	equal "$(told signal reason exit_code)" "15 killed-by-user 143"
	run -137 sbx run --rm --init -m 64m --result result "$py" python3 -S -c 'x = b"x" * 200000000'
	equal "$(told signal reason exit_code oom_killed)" "9 oom 137 True"
	run -124 sbx run --rm --init --timeout 300ms --kill-after 600s --result result "$box" sleep 100000
	equal "$(told signal reason exit_code)" "15 timeout 124"
}

# told NAMES...: prints these members of the result
told() {
	python3 -c 'import json, sys; r = json.load(open("result")); print(*[r[name] for name in sys.argv[1:]])' "$@"
}

@test "the end by a limit of time is told" {
	run -124 sbx run --rm --timeout 300ms --result result "$box" sleep 100000
	equal "$(told reason timed_out exit_code)" "timeout True 124"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -124 sbx exec --timeout 300ms --result result "$c" sleep 100000
	equal "$(told reason timed_out exit_code)" "timeout True 124"
}

# ended_in OPTIONS...: starts a container with them, and an exec in it, and waits until that runs
ended_in() {
	mkfifo runs 2>/dev/null || true
	rm -f "$c.id"
	sbx run -d --rm --cidfile "$c.id" "$@" >/dev/null
	sbx exec --result result "$(cat "$c.id")" sh -c 'echo runs; sleep 100000' >runs &
	read -r _ <runs
}

# its_end "REASON SIGNAL CODE": that exec's result has these
its_end() {
	status=0
	wait $! || status=$?
	equal "$(told reason signal exit_code)" "$1"
	equal "$status" "${1##* }"
}

@test "an exec that ends with its container tells what ended that" {
	# from outside: an exec that made the container end might end with it, too
	until_end='until [ -e /w/end ]; do sleep 0.1; done'
	ended_in "$box" sleep 100000
	sbx kill "$(cat "$c.id")" >/dev/null
	its_end "killed-by-user 9 137"
	ended_in "$box" sleep 100000
	sbx rm -f "$(cat "$c.id")" >/dev/null
	its_end "killed-by-user 9 137"
	ended_in -v "$PWD:/w" --output-limit 1 --output-limit-action kill "$box" sh -c "$until_end; echo much; sleep 100000"
	touch end
	its_end "output-limit 9 137"
	rm end
	ended_in -v "$PWD:/w" "$box" sh -c "$until_end" # by itself
	touch end
	its_end "signalled 9 137"
}

# supervisor NAME: prints its pid
supervisor() {
	awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$1")/status"
}

@test "... however long its supervisor takes to tell" {
	ended_in "$box" sleep 100000
	client=$!
	exec {lock}<"$SBX_ROOT/containers/$(cat "$c.id")"
	flock "$lock" # so that the supervisor cannot record the end, which it does first
	"$SBX" kill "$(cat "$c.id")" >/dev/null 3>&- {lock}<&- &
	background+=($! "$client")
	# errors are checked only after the supervisor goes on: until then its container could not be ended
	eventually gone "$(sbx inspect -f '{{.State.Pid}}' "$(cat "$c.id")")" || true
	run sbx run --rm --timeout 2s "$box" sleep 100000 {lock}<&- # meanwhile
	told=$(cat result)
	exec {lock}<&-
	equal "$told" ""
	status=0
	wait "$client" || status=$?
	equal "$status $(told reason signal exit_code)" "137 killed-by-user 9 137"
}

@test "... or is killed, or begins another life" {
	ended_in "$box" sleep 100000
	kill -9 "$(supervisor "$(cat "$c.id")")"
	its_end "signalled 9 137"
	sbx run -d --name "$c" --restart always --output-limit 1 --output-limit-action kill "$box" \
		sh -c 'until [ -e /tmp/end ]; do sleep 0.1; done; rm /tmp/end; echo much; sleep 100000' >/dev/null
	sbx exec --result result "$c" sh -c 'touch /tmp/end; sleep 100000' &
	its_end "output-limit 9 137"
}

# Also if pid 1's first thread has exited, so that pid 1 looks like a zombie but lives.
@test "an exec that is killed from inside ends while its container lives" {
	sbx run -d --name "$c" "$py" python3 -c '
import ctypes, os, threading, time
threading.Thread(target=time.sleep, args=(100000,)).start()
while not os.path.exists("/leave"): time.sleep(0.01)
ctypes.CDLL(None).pthread_exit(None)' >/dev/null
	run -137 sbx exec --result result "$c" sh -c 'kill -9 $PPID; sleep 100000'
	equal "$(told reason signal exit_code)" "signalled 9 137"
	run -137 sbx exec --result result "$c" sh -c '
		touch /leave
		until grep -q "^State:.Z" /proc/1/status; do sleep 0.01; done
		kill -9 $PPID
		sleep 100000'
	equal "$(told reason signal exit_code)" "signalled 9 137"
	running "$c"
}

@test "--output-limit lets through what it says, and one byte more is too much" {
	for action in drop kill; do
		equal "$(sbx run --rm --output-limit 10 --output-limit-action $action --result result "$box" printf 0123456789)" 0123456789
		equal "$(told reason truncated stdout_bytes exit_code)" "exited False 10 0"
	done
	equal "$(sbx run --rm --output-limit 10 --result result "$box" printf 0123456789x)" 0123456789
	equal "$(told reason truncated stdout_bytes exit_code)" "exited True 10 0"
	run -137 sbx run --rm --output-limit 10 --output-limit-action kill --result result "$box" sh -c 'printf 0123456789x; sleep 100000'
	equal "$output" 0123456789
	equal "$(told reason truncated stdout_bytes exit_code)" "output-limit True 10 137"
}

@test "what enforces each limit is told, of those that were given" {
	[ -w /dev/fuse ] || lacking "/dev/fuse is not there for us"
	cpu=$(awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status | sed 's/[-,].*//')
	sbx run --rm --result result -m 64m --memory-swap 64m --memory-reservation 32m --pids-limit 50 --cpus 0.5 --cpu-shares 512 \
		--cpuset-cpus "$cpu" --storage-opt size=50m --timeout 100s --cpu-time 50s --output-limit 1m \
		--ulimit nofile=100 --shm-size 1m --tmpfs /t:size=1m "$box" true 2>/dev/null
	python3 - <<-'END'
		import json
		got = json.load(open("result"))["enforced_by"]
		groups = {"cgroup2", "systemd", "cgroup1"}
		others = {"memory": "watch", "memory_swap": "watch", "memory_reservation": "none", "pids": "rlimit", "cpus": "none",
		    "cpu_shares": "none", "cpuset_cpus": "affinity"}
		always = {"storage": "fuse", "timeout": "timer", "cpu_time": "watch", "output_limit": "pipe", "ulimit": "rlimit",
		    "shm_size": "tmpfs", "tmpfs_size": "tmpfs"}
		assert set(got) == set(others) | set(always), got
		assert all(got[k] == v for k, v in always.items()), got
		assert all(got[k] == v or got[k] in groups for k, v in others.items()), got
	END
	sbx run --rm --result result "$box" true
	equal "$(python3 -c 'import json; print(json.load(open("result"))["enforced_by"])')" "{}"
}

@test "what enforces limits of memory file systems: nothing, where the machine's are used; of an exec, its own" {
	enforced='import json; print(json.load(open("result"))["enforced_by"])'
	sbx run --rm --result result --ipc host --shm-size 1m --tmpfs /t "$box" true
	equal "$(python3 -c "$enforced")" "{'shm_size': 'none'}"
	sbx run -d --name "$c" --shm-size 1m --ulimit nofile=100 "$box" sleep 100000 >/dev/null
	sbx exec --result result "$c" true
	equal "$(python3 -c "$enforced")" "{}"
	sbx exec --ulimit nofile=50 --result result "$c" true
	equal "$(python3 -c "$enforced")" "{'ulimit': 'rlimit'}"
}

# each_has_one_end FILES N REASON TRUNCATED: of N results each tells of one who was killed for that reason, or exited by himself.
each_has_one_end() {
	python3 - "$@" <<-'END'
		import glob, json, sys
		results = [json.load(open(f)) for f in glob.glob(sys.argv[1])]
		assert len(results) == int(sys.argv[2])
		for r in results:
		    killed = r["signal"] == 9
		    assert killed == (r["reason"] == sys.argv[3]) == (r["exit_code"] == 137), r
		    assert killed or r["reason"] == "exited", r
		    assert str(r["truncated"]) == sys.argv[4], r
	END
}

# The memory file system is full just when the limit is exceeded: the program gets an error, and exits by itself.
@test "who ended by himself was not killed, however near to it he was" {
	for i in {1..24}; do
		sbx run --rm -m 16m --shm-size 1g --result "ran$i" "$box" dd if=/dev/zero of=/dev/shm/x bs=64k || true
	done
	each_has_one_end "ran*" 24 oom False
}

# lost: result is that of a container whose supervisor was killed.
lost() {
	python3 - "$1" <<-'END'
		import json, sys
		r = json.load(open("result"))
		assert r.pop("error")
		assert r == {"id": sys.argv[1], "exit_code": 137, "signal": 9, "reason": "supervisor-lost"}, r
	END
}

@test "a killed supervisor is told as such, by all who can be asked" {
	for rm in "" --rm; do
		# shellcheck disable=SC2086
		"$SBX" run $rm --cidfile id --result result "$box" sleep 100000 &
		running=$! code=0
		eventually test -s id
		id=$(cat id)
		eventually [ "$(sbx inspect -f '{{.State.Running}}' "$id")" = true ]
		sbx wait --result waited "$id" >/dev/null &
		waiting=$!
		kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$id")/status")"
		wait "$running" || code=$?
		equal "$code" 137
		lost "$id"
		wait "$waiting" || [ "$rm" ] # it may be gone before it is found
		[ "$rm" ] && break
		mv waited result
		lost "$id"
		sbx wait --result result "$id"
		lost "$id"
		equal "$(sbx inspect -f '{{.State.ExitCode}}' "$id")" 137
		sbx rm "$id"
		rm id
	done
}

@test "each run of a restart policy has an output of its own" {
	for action in drop kill; do
		id=$(sbx run -d --restart on-failure:2 --output-limit 10 --output-limit-action "$action" "$box" sh -c 'echo 1234567; exit 3')
		eventually sh -c "[ \"\$('$SBX' inspect -f '{{.State.Status}} {{.RestartCount}}' $id)\" = 'exited 2' ]"
		equal "$(sbx logs "$id" | paste -sd ' ')" "1234567 1234567 1234567"
		sbx wait --result result "$id"
		python3 -c '
import json
r = json.load(open("result"))
assert (r["stdout_bytes"], r["truncated"], r["reason"], r["exit_code"]) == (8, False, "exited", 3), r'
		sbx rm "$id"
	done
}

@test "whoever says too much with his last breath has ended by himself" {
	for i in {1..12}; do
		sbx run --rm --output-limit 10 --output-limit-action kill --result "said$i" "$box" \
			sh -c 'echo 123456789012345; exit 3' >/dev/null || true
	done
	each_has_one_end "said*" 12 output-limit True
}
