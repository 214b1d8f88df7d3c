load lib

# Starts a container that appends to a file of the host as long as it runs.
counter() {
	mkdir -m 777 "$c"
	sbx run -d --name "$c" -v "$PWD/$c:/d" "$@" "$box" sh -c 'i=0; while :; do i=$((i+1)); echo $i >/d/n; done'
	eventually counts
}

counts() {
	local before
	before=$(cat "$c/n" 2>/dev/null)
	read -rt 0.02 <>"$BATS_FILE_TMPDIR/never" || true
	[ "$(cat "$c/n")" != "$before" ]
}

@test "a paused container stands still, and goes on when it is unpaused" {
	counter
	equal "$(sbx pause "$c")" "$c"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.Paused}} {{.State.Running}}' "$c")" "paused true true"
	run -1 counts
	run -1 counts
	contains "$(sbx ps --filter "name=$c" --format '{{.Status}}')" "(Paused)"
	equal "$(sbx unpause "$c")" "$c"
	eventually counts
	equal "$(sbx inspect -f '{{.State.Status}}' "$c")" running
}

@test "what was exec'ed, and what it started, stands still as well" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep 100000
	sbx exec -d "$c" sh -c "sleep $nap & while :; do :; done"
	eventually sleeps "$nap"
	sbx pause "$c"
	for pid in $(sbx top "$c" -o pid | tail -n +2); do
		grep -qE '^State:.*(stopped|frozen)|^State:	S' "/proc/$pid/status"
	done
	before=$(sbx stats --no-stream --format '{{.CPUPerc}}' "$c")
	equal "$before" "0.00%"
	sbx unpause "$c"
}

# stands_still NAME: there are processes of this name, and each is stopped or frozen
stands_still() {
	local pid all
	all=$(pgrep -x "$1") || return
	for pid in $all; do
		[[ $(cat "/proc/$pid/stat" 2>/dev/null) == *") T "* ]] ||
			grep -qsx "frozen 1" "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup" 2>/dev/null)/cgroup.events" || return
	done
}

@test "who forks all the time, and ends, stands still" {
	name=$((RANDOM))
	sbx run -d --name "$c" -v "$PWD:/v" "$py" python3 -c '
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for i in range(4):
	if os.fork() == 0:
		open("/proc/self/comm", "w").write("c%d-%s" % (i, sys.argv[1]))
		while True:
			if os.fork(): os._exit(0)
			open("/v/%d" % i, "w")
signal.pause()' "$name" >/dev/null
	for i in 0 1 2 3; do
		eventually test -e "$i"
	done
	sbx pause "$c"
	for i in 0 1 2 3; do
		eventually stands_still "c$i-$name" # one that waits in the kernel, for the file, stops when it returns
	done
	for i in 0 1 2 3; do
		stands_still "c$i-$name"
	done
	sbx rm -f "$c"
}

@test "an exec under way goes on when it is unpaused, and its client hears how it ends" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	"$SBX" exec "$c" sh -c 'touch /began; until test -e /go; do :; done; echo went; exit 7' >"$BATS_TEST_TMPDIR/out" &
	client=$!
	eventually sbx exec "$c" test -e /began
	sbx pause "$c"
	sbx unpause "$c"
	sbx exec "$c" touch /go
	code=0
	wait "$client" || code=$?
	equal "$code" 7
	equal "$(cat "$BATS_TEST_TMPDIR/out")" went
}

# executed: starts an exec in the background, and waits until its command, $pid, runs
executed() {
	nap=$(a_nap)
	"$SBX" exec "$c" sleep "$nap" 3>&- &
	client=$!
	background+=("$client")
	eventually sleeps "$nap"
	pid=$(pgrep -fx "sleep $nap")
}

@test "who waits for an exec does not stand still with it, nor after a pause that was killed" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	executed
	sbx pause "$c"
	kill -9 "$pid"
	client_ends
	equal "$status $(sbx inspect -f '{{.State.Status}}' "$c")" "137 paused"
	sbx unpause "$c"
	executed
	sbx pause "$c"
	kill -STOP "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")" # pause may have left the guard stopped, too
	sbx unpause "$c"
	kill -9 "$pid"
	client_ends
	equal "$status" 137
}

@test "a pause that cannot be noted is none" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -1 bash -c "trap '' XFSZ; ulimit -f 0; exec '$SBX' pause '$c'"
	equal "$(sbx inspect -f '{{.State.Status}}' "$c")" running
	grep '^State:.[SR]' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status"
	sbx pause "$c"
	run -1 bash -c "trap '' XFSZ; ulimit -f 0; exec '$SBX' unpause '$c'"
	sbx unpause "$c"
	grep '^State:.[SR]' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status"
}

@test "who stood still before goes on standing still" {
	sbx run -d --name "$c" "$box" sh -c 'sh -c "kill -STOP \$\$; echo woke >/tmp/woke" & wait'
	stopped() { sbx top "$c" -o pid,s | grep -q 'T$'; }
	eventually stopped
	sbx pause "$c"
	sbx unpause "$c"
	stopped
	run -1 sbx exec "$c" test -e /tmp/woke
}

# share NAME: four processes, called NAME, that share most of their memory and write to a little of their own: the sum of what each holds
# is above 256 MB, which has the watch look at their page tables all the time, while all are stopped. Each counts in a file in /d.
share() {
	printf '%s\n' 'import mmap, os' "open('/proc/self/comm', 'w').write('$1')" \
		'shared = mmap.mmap(-1, 228 << 20, flags=mmap.MAP_PRIVATE)' \
		'shared.madvise(15)' 'for at in range(0, len(shared), 4096): shared[at] = 1' \
		'me = 3' 'for i in range(3):' '    if os.fork() == 0:' '        me = i' '        break' \
		'while True:' \
		'    with mmap.mmap(-1, 1 << 16, flags=mmap.MAP_PRIVATE) as own:' \
		'        for at in range(0, len(own), 4096): own[at] = 1' \
		'    with open("/d/%d" % me, "a") as f: f.write(".")'
}

grew() { # FILE SIZE
	[ "$(stat -c %s "$c/$1" 2>/dev/null || echo 0)" -gt "$2" ]
}

# they_pause_and_go_on NAME: none of the four makes a step while paused, each does afterwards
they_pause_and_go_on() {
	local i round sizes
	for i in 0 1 2 3; do
		eventually grew "$i" 0
	done
	for round in 1 2 3 4 5 6 7 8; do
		sbx pause "$c" >/dev/null
		eventually stands_still "$1"
		mapfile -t sizes < <(stat -c %s "$c"/?)
		read -rt 0.02 <>"$BATS_FILE_TMPDIR/never" || true
		equal "$(stat -c %s "$c"/?)" "$(printf '%s\n' "${sizes[@]}")"
		stands_still "$1"
		sbx unpause "$c" >/dev/null
		for i in 0 1 2 3; do
			eventually grew "$i" "${sizes[$i]}"
		done
	done
}

@test "who is stopped while the watch looks at memory goes on when unpaused, and does not before" {
	name=share-$RANDOM
	mkdir -m 777 "$c"
	sbx run -d --name "$c" -m 256m -v "$PWD/$c:/d" "$py" python3 -c "$(share "$name")" >/dev/null
	they_pause_and_go_on "$name"
	sbx rm -f "$c"
}

@test "so does who is stopped by the watch of an exec" {
	name=share-$RANDOM
	mkdir -m 777 "$c"
	sbx run -d --name "$c" -v "$PWD/$c:/d" "$py" sleep 100000 >/dev/null
	sbx exec -d -m 256m "$c" python3 -c "$(share "$name")"
	they_pause_and_go_on "$name"
	sbx rm -f "$c"
}

@test "a paused container can be killed, stopped and removed" {
	sbx run -d --name "$c" "$box" sleep 100000
	sbx pause "$c"
	sbx kill "$c"
	eventually ended "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 137
	sbx start "$c"
	sbx pause "$c"
	sbx rm -f "$c"
	missing "$c"
}

@test "a paused container that is stopped goes on first, and heeds it" {
	sbx run -d --name "$c" "$box" sh -c 'trap "exit 5" TERM; echo ready; while :; do sleep 0.1; done'
	eventually eval '[ "$(sbx logs "$c")" = ready ]'
	sbx pause "$c"
	sbx stop -t 100 "$c"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 5
	equal "$(sbx events --since 0 --until "$(date +%s.%N)" --filter container="$c" --format '{{.Action}}' | tail -n 5 | sort | xargs)" \
		"die kill pause stop unpause"
}

@test "a time limit ends a paused container" {
	sbx run -d --name "$c" "$box" sleep 100000
	sbx pause "$c"
	sbx update --timeout 1s "$c"
	equal "$(sbx wait "$c")" 124
}

@test "errors are docker's" {
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	run -1 --separate-stderr sbx unpause "$c"
	equal "$stderr" "Error response from daemon: Container $id is not paused"
	sbx pause "$c"
	run -1 --separate-stderr sbx pause "$c"
	equal "$stderr" "Error response from daemon: Container $id is already paused"
	for said in "$c" "$id" "${id:0:12}"; do
		run -1 --separate-stderr sbx exec "$said" true
		equal "$stderr" "Error response from daemon: Container $said is paused, unpause the container before exec"
	done
	run -1 --separate-stderr sbx start "$c"
	contains "$stderr" "cannot start a paused container, try unpause instead"
	sbx unpause "$c"
	sbx stop -t 0 "$c"
	run -1 --separate-stderr sbx pause "$c"
	equal "$stderr" "Error response from daemon: Container $id is not running"
	run -1 --separate-stderr sbx pause nosuch
	equal "$stderr" "Error response from daemon: No such container: nosuch"
}

at_least() { # FILE LINES
	[ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]
}

@test "what a health check printed is kept, of one that took too long, too; what is too much is marked" {
	# asked WORDS: what a template says of the first check that is kept
	asked() { sbx inspect -f "{{range \$i, \$log := .State.Health.Log}}{{if eq \$i 0}}{{$1}}{{end}}{{end}}" "$c"; }
	is_asked() { [ -n "$(asked .ExitCode)" ]; }
	sbx run -d --name "$c" --health-cmd 'echo out; echo err >&2; exec sleep 100000' --health-interval 50ms --health-timeout 4s \
		"$box" sleep 100000 >/dev/null
	eventually is_asked
	equal "$(asked 'printf "%d %s" .ExitCode .Output')" $'-1 Health check exceeded timeout (4s): out\nerr'
	sbx rm -f "$c" >/dev/null
	sbx run -d --name "$c" --health-cmd 'head -c 5000 /dev/zero | tr "\0" y' --health-interval 50ms "$box" sleep 100000 >/dev/null
	eventually is_asked
	equal "$(asked 'printf "%d %d %s" .ExitCode (len .Output) (slice .Output 4094)')" "0 4099 yy..."
	sbx rm -f "$c" >/dev/null
}

@test "the health of a paused container is not asked for" {
	local n
	mkdir a b
	for n in a b; do
		sbx run -d --name "$c-$n" -v "$PWD/$n:/s" --health-cmd 'echo asked >>/s/log' --health-interval 50ms \
			"$box" sleep 100000 >/dev/null
	done
	eventually at_least a/log 2
	sbx pause "$c-a"
	n=$(wc -l <b/log)
	eventually at_least b/log $((n + 3)) # by now what had begun has ended
	cp a/log before
	n=$(wc -l <b/log)
	eventually at_least b/log $((n + 5))
	cmp a/log before
	sbx unpause "$c-a"
	eventually at_least a/log $(($(wc -l <before) + 1))
}

health_is() {
	[ "$(sbx inspect -f '{{.State.Health.Status}} {{len .State.Health.Log}}' "$c")" = "$1" ]
}

failing() {
	sbx inspect -f '{{.State.Health.FailingStreak}}' "$c"
}

failing_more_than() {
	[ "$(failing)" -gt "$1" ]
}

@test "whose health is not asked for, paused or ended, is unhealthy; what the checks said stays" {
	mkdir s
	true >s/well
	id=$(sbx run -d --name "$c" -v "$PWD/s:/s" --health-cmd 'test -e /s/well' --health-interval 50ms \
		--health-retries 1000000 "$box" sleep 100000)
	eventually health_is "healthy 5"
	rm s/well # too few failures to become unhealthy, so it is the pause that made it so
	sbx pause "$c"
	health_is "unhealthy 5"
	sbx unpause "$c"
	eventually failing_more_than "$(failing)"
	health_is "unhealthy 5"
	true >s/well
	eventually health_is "healthy 5"
	sbx kill "$c"
	sbx wait "$c"
	health_is "unhealthy 5"
	equal "$(sbx ps -aq --no-trunc --filter "name=$c" --filter health=unhealthy)" "$id"
	sbx start "$c"
	equal "$(sbx inspect -f '{{len .State.Health.Log}}' "$c")" 5
}
