# The user has a control group of version 2, a delegated one ($WAY cgroup2) or one from systemd ($WAY systemd): limits are
# enforced by it, and the result says so.

load ../bats/lib

way=${WAY:-cgroup2}

result() {
	python3 -c 'import json,sys; print(json.load(open("result"))[sys.argv[1]])' "$1"
}

enforced() {
	python3 -c 'import json,sys; print(json.load(open("result"))["enforced_by"].get(sys.argv[1]))' "$1"
}

hog='import sys
b = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(b), 4096): b[i] = 1
print("held")'

# group_of CONTAINER: the path of its control group on the machine
group_of() {
	echo "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$1")/cgroup")"
}

no_groups() {
	[ -z "$(find /sys/fs/cgroup -type d -name 'sbx-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*' 2>/dev/null)" ]
}

@test "-m: 137, OOMKilled, and the group is what held it" {
	run -137 --separate-stderr sbx run --name "$c" -m 64m --result result "$py" python3 -c "$hog" 200
	equal "$output" ""
	equal "$stderr" ""
	equal "$(sbx inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' "$c")" "true 137"
	equal "$(result reason) $(enforced memory)" "oom $way"
	[ "$(result peak_memory)" -le $((64 << 20)) ]
	sbx rm "$c"
	eventually no_groups
}

@test "-m: the child that takes too much dies, its parent does not; what is below the limit is let" {
	run -0 --separate-stderr sbx run --rm -m 96m --result result "$py" sh -c "
		python3 -c '$hog' 200; echo \$?; python3 -c '$hog' 20"
	equal "$output" $'137\nheld'
	equal "$(result oom_killed)" True
}

@test "-m counts a memory file system, and what is written to it above the limit ends the writer" {
	run --separate-stderr sbx run --name "$c" -m 32m --tmpfs /t:size=200m --result result "$py" python3 -c '
f = open("/t/f", "wb")
for i in range(100): f.write(bytes(1 << 20)); f.flush()
print("held")'
	equal "$status" 137
	lacks "$output" held
	equal "$(sbx inspect -f '{{.State.OOMKilled}}' "$c")" true
	[ "$(result peak_memory)" -le $((32 << 20)) ]
}

@test "--pids-limit, --cpus, --cpuset-cpus, --cpu-shares stand in the group's files" {
	sbx run -d --name "$c" -m 128m --memory-reservation 64m --pids-limit 17 --cpus 0.5 --cpuset-cpus 1 --cpu-shares 512 \
		"$box" sleep 100000 >/dev/null
	group=$(group_of "$c")
	[ -d "$group" ]
	equal "$(cat "$group/memory.max") $(cat "$group/memory.low")" "$((128 << 20)) $((64 << 20))"
	equal "$(cat "$group/pids.max")" 17
	equal "$(cat "$group/cpu.max")" "50000 100000"
	equal "$(cat "$group/cpuset.cpus")" 1
	[ "$(cat "$group/cpu.weight")" -lt 100 ]
	equal "$(sbx exec "$c" nproc)" 1
	sbx rm -f "$c"
	[ ! -d "$group" ]
}

@test "--cpus holds: one processor's half in a second of wall time is half a second at most" {
	run sbx run --rm --cpus 0.5 --timeout 4s --result result "$box" sh -c 'while :; do :; done'
	equal "$status $output" "124 "
	equal "$(enforced cpus)" "$way"
	python3 -c '
import json
r = json.load(open("result"))
used = r["user"] + r["system"]
assert used < 0.75 * r["wall"], r' || { cat result; return 1; }
}

@test "--pids-limit counts every process, threads too" {
	run -0 sbx run --rm -m 256m --pids-limit 12 --result result "$py" python3 -c '
import os, time
n = 1
try:
	while n < 50:
		if os.fork() == 0: time.sleep(1000)
		n += 1
except OSError as e: print(e.strerror)
print(n)'
	equal "${lines[0]}" "Resource temporarily unavailable"
	[ "${lines[1]}" -ge 10 ] && [ "${lines[1]}" -le 12 ]
}

@test "update changes what holds a running container" {
	sbx run -d --name "$c" -m 64m --cpus 1 "$py" sleep 100000 >/dev/null
	group=$(group_of "$c")
	sbx update -m 200m --memory-swap 200m --cpus 0.25 --pids-limit 30 "$c" >/dev/null
	equal "$(cat "$group/memory.max") $(cat "$group/cpu.max")" "$((200 << 20)) 25000 100000"
	equal "$(sbx exec "$c" python3 -c "$hog" 120)" held
	run -137 sbx exec "$c" python3 -c "$hog" 300
	running "$c"
}

@test "update gives a container that runs without limits a group, with all of its processes in it" {
	[ "$way" = cgroup2 ] || skip "no package gives it: systemd is not asked for a scope later"
	sbx run -d --name "$c" "$box" sh -c 'sleep 100000 & exec sleep 100001' >/dev/null
	sbx exec -d "$c" sleep 100002
	lacks "$(group_of "$c")" /sbx-
	sbx update --cpus 0.25 --pids-limit 30 --cpu-shares 512 "$c" >/dev/null
	group=$(group_of "$c")
	contains "$group" "/sbx-"
	equal "$(cat "$group/pids.max") $(cat "$group/cpu.max")" "30 25000 100000"
	equal "$(wc -l <"$group/cgroup.procs")" 3
	sbx update --cpuset-cpus 1 "$c" >/dev/null
	equal "$(cat "$group/cpuset.cpus")" 1
	equal "$(sbx exec "$c" nproc)" 1
	run -0 sbx update --memory-reservation 20m "$c"
	contains "$output" "--memory-reservation holds only from the next start on"
	sbx stop -t 0 "$c" >/dev/null
	[ ! -d "$group" ]
	sbx start "$c" >/dev/null
	equal "$(cat "$(group_of "$c")/memory.low") $(cat "$(group_of "$c")/cpu.max")" "$((20 << 20)) 25000 100000"
}

@test "an exec is in the group, and its memory counts there" {
	sbx run -d --name "$c" -m 64m "$py" sleep 100000 >/dev/null
	group=$(group_of "$c")
	behind exec "$c" sh -c 'echo in; exec sleep 100000'
	line
	[ "$(wc -l <"$group/cgroup.procs")" -ge 2 ]
	kill -9 "$client"
	sbx rm -f "$c"
	[ ! -d "$group" ]
}

@test "pause freezes the group, unpause lets it go on" {
	sbx run -d --name "$c" -m 64m "$box" sh -c 'while :; do echo x; usleep 100000; done' >/dev/null
	group=$(group_of "$c")
	sbx pause "$c" >/dev/null
	equal "$(cat "$group/cgroup.freeze")" 1
	sbx unpause "$c" >/dev/null
	equal "$(cat "$group/cgroup.freeze")" 0
}

@test "stats tells what the group says" {
	sbx run -d --name "$c" -m 64m "$box" sleep 100000 >/dev/null
	contains "$(sbx stats --no-stream --format '{{.MemUsage}}' "$c")" "/ 64MiB"
}

@test "the group of a killed supervisor goes with the next command" {
	sbx run -d --name "$c" -m 64m "$box" sleep 100000 >/dev/null
	group=$(group_of "$c")
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	read -r _ _ _ supervisor _ <"/proc/$pid/stat"
	kill -9 "$supervisor"
	eventually ended "$c"
	sbx rm "$c"
	eventually eval '[ ! -d "$group" ]'
}

@test "a supervisor killed before it could say that it has a group leaves none for ever" {
	for _ in {1..8}; do
		"$SBX" run --rm --name "$c" -m 64m "$box" true >out 2>&1 3>&- &
		client=$!
		eventually eval '[ -n "$(pgrep -x -u "$(id -u)" sbx-supervise)" ] || gone $client'
		pkill -9 -x -u "$(id -u)" sbx-supervise || true
		client_ends
	done
	sbx ps -aq | xargs -r "$SBX" rm -f >/dev/null
	eventually no_groups
}

@test "thirty at once: each has its group, none is left" {
	pids=()
	for i in {1..30}; do
		"$SBX" run --rm -m 64m "$box" echo "$i" >"out$i" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	equal "$(cat out* | sort -n | tail -n 1)" 30
	eventually no_groups
}
