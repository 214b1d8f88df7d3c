load lib

@test "what is updated is in force from the next start, and shown" {
	sbx create --name "$c" --pids-limit 50 "$box" awk '/Max processes/ { print $3 }' /proc/self/limits
	equal "$(sbx update --pids-limit 20 "$c")" "$c"
	equal "$(sbx inspect -f '{{.HostConfig.PidsLimit}}' "$c")" 20
	equal "$(sbx start -a "$c")" 20
	sbx update --pids-limit 30 "$c"
	equal "$(sbx start -a "$c")" 30
}

@test "a lower limit of processes holds for those which run" {
	sbx run -d --name "$c" --pids-limit 50 "$box" sleep 100000
	sbx update --pids-limit 7 "$c"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	equal "$(awk '/Max processes/ { print $3, $4 }' "/proc/$pid/limits")" "7 7"
}

# cpus_of PID: the processors that it may run on.
cpus_of() {
	awk '/Cpus_allowed_list/ { print $2 }' "/proc/$1/status"
}

@test "--cpuset-cpus holds for those which run, and a process that chose some keeps to what is left of them" {
	[ "$(nproc)" -gt 1 ] || skip "no package gives it: a second processor"
	local one two old new pid
	read -r one two _ < <(python3 -c 'import os; print(*sorted(os.sched_getaffinity(0)))')
	old=$(a_nap) new=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "sleep $old & exec sleep 100000" >/dev/null
	sbx exec -d --cpuset-cpus "$two" "$c" sleep "$new"
	eventually sleeps "$old"
	eventually sleeps "$new"
	sbx update --cpuset-cpus "$one,$two" "$c"
	equal "$(cpus_of "$(pgrep -f "^sleep $new\$")")" "$two"
	sbx update --cpuset-cpus "$one" "$c"
	for pid in $(sbx inspect -f '{{.State.Pid}}' "$c") $(pgrep -f "^sleep ($old|$new)\$"); do
		equal "$(cpus_of "$pid")" "$one"
	done
	sbx update --cpuset-cpus "$two" "$c"
	equal "$(cpus_of "$(pgrep -f "^sleep $old\$")")" "$two"
}

@test "to take away a limit of processes that there was not is not worth a word" {
	sbx run -d --name "$c" "$box" sleep 100000
	run -0 --separate-stderr sbx update --pids-limit -1 "$c"
	equal "$output$stderr" "$c"
}

@test "a lower limit of memory ends a running container which has more" {
	[ -e "$py" ] || lacking "no image with python"
	behind run --name "$c" -m 512m "$py" python3 -c '
import time
x = b"x" * (120 << 20)
print("has it", flush=True)
time.sleep(100000)'
	line
	equal "$REPLY" "has it"
	sbx update -m 64m "$c"
	equal "$(sbx wait "$c")" 137
	equal "$(sbx inspect -f '{{.State.OOMKilled}} {{.HostConfig.Memory}}' "$c")" "true 67108864"
}

@test "the restart policy of a running container can be taken away" {
	sbx run -d --name "$c" --restart always "$box" sleep 0.3
	sbx update --restart no "$c"
	eventually ended "$c"
	equal "$(sbx inspect -f '{{.HostConfig.RestartPolicy.Name}}' "$c")" no
	sbx update --restart on-failure:3 "$c"
	equal "$(sbx inspect -f '{{.HostConfig.RestartPolicy}}' "$c")" "{on-failure 3}"
}

@test "what docker refuses is refused, and changes nothing" {
	id=$(sbx create --name "$c" "$box" true)
	run -1 sbx update "$c"
	equal "$output" "you must provide one or more flags when using this command"
	run -1 --separate-stderr sbx update -m 64m "$c"
	equal "$stderr" "Error response from daemon: Cannot update container $id: Memory limit should be smaller than already set memoryswap limit, update the memoryswap at the same time"
	run -1 --separate-stderr sbx update -m 1m --memory-swap 1g "$c"
	equal "$stderr" "Error response from daemon: Minimum memory limit allowed is 6MB"
	run -1 --separate-stderr sbx update --restart foo "$c"
	contains "$stderr" "invalid restart policy 'foo'"
	run -1 --separate-stderr sbx update --cpuset-mems 999 "$c"
	contains "$stderr" "Error response from daemon: Requested memory nodes are not available - requested 999, available: "
	equal "$(sbx update --restart '' "$c")" "$c"
	run -125 sbx update --cpus x "$c"
	contains "$output" 'invalid argument "x" for "--cpus" flag'
	equal "$(sbx inspect -f '{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}' "$c")" "0 0"
	run -1 --separate-stderr sbx update --pids-limit 9 nosuch "$c"
	equal "$stderr" "Error response from daemon: No such container: nosuch"
	equal "$output" "$c"
	sbx run -d --rm --name "$c-rm" "$box" sleep 100000
	run -1 sbx update --restart always "$c-rm"
	contains "$output" "Restart policy cannot be updated because AutoRemove is enabled for the container"
}

limits_of() {
	sbx inspect -f '{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{.HostConfig.MemoryReservation}} {{.HostConfig.CpuShares}}' "$c"
}

@test "an update says what is new, and the rest stays: 0 asks for nothing, swap is what it was" {
	sbx create --name "$c" -m 64m --cpu-shares 20 "$box" true
	sbx update -m 32m "$c"
	equal "$(limits_of)" "33554432 134217728 0 20"
	sbx update --cpu-shares 0 --memory 0 --memory-swap 0 "$c"
	equal "$(limits_of)" "33554432 134217728 0 20"
	sbx update --memory-swap 100m "$c"
	equal "$(limits_of)" "33554432 104857600 0 20"
	sbx update -m 100m "$c"
	equal "$(limits_of)" "104857600 104857600 0 20"
	sbx update --memory-reservation 128m "$c"
	equal "$(limits_of)" "104857600 104857600 134217728 20"
	run -1 --separate-stderr sbx update -m 64m --memory-swap 32m "$c"
	equal "$stderr" "Error response from daemon: Minimum memoryswap limit should be larger than memory limit, see usage"
}

@test "swap alone is taken for a container that is stopped, whose start refuses it, and not for one that runs" {
	id=$(sbx create --name "$c" "$box" sleep 100000)
	equal "$(sbx update --memory-swap 100m "$c")" "$c"
	equal "$(limits_of)" "0 104857600 0 0"
	run -1 --separate-stderr sbx start -a "$c"
	equal "$stderr" "Error response from daemon: You should always set the Memory limit when using Memoryswap limit, see usage"
	equal "$(sbx inspect -f '{{.State.Status}}' "$c")" created
	sbx update --memory-swap -1 "$c"
	sbx start "$c"
	run -1 --separate-stderr sbx update --memory-swap 100m "$c"
	contains "$stderr" "Cannot update container $id: unable to set swap limit without memory limit"
	equal "$(limits_of)" "0 -1 0 0"
}

# ours NAME: prints this member of "Sbx" as `inspect` shows it.
ours() {
	sbx inspect "$c" | python3 -c '
import json, sys
print(json.load(sys.stdin)[0]["Sbx"].get(sys.argv[1]))' "$1"
}

@test "update --cpu-time ends a running container that uses more" {
	[ -e "$py" ] || lacking "no image with python"
	behind run --name "$c" "$py" python3 -c '
print("runs", flush=True)
while True: pass'
	line
	sbx update --cpu-time 200ms "$c"
	sbx wait --result result "$c"
	equal "$(python3 -c 'import json; print(json.load(open("result"))["reason"])')" cpu-time
	equal "$(ours CpuTime)" 200000000
}

@test "update --timeout counts from the start, and 0 takes it away" {
	nap=$(a_nap)
	sbx run -d --name "$c" --timeout 1h "$box" sleep "$nap"
	sbx update --timeout 1ms "$c"
	equal "$(sbx wait --result result "$c")" 124
	equal "$(python3 -c 'import json; print(json.load(open("result"))["reason"])')" timeout
	sleeps "$nap" 0
	equal "$(ours Timeout)" 1000000
	sbx update --timeout 0 "$c"
	sbx start "$c"
	eventually sleeps "$nap"
	running "$c"
}

@test "update --output-limit holds for what a running container writes" {
	mkfifo to
	exec {to}<>to
	input=to behind run -i --name "$c" "$box" cat
	echo before >&"$to"
	line
	equal "$REPLY" before
	sbx update --output-limit 10 "$c"
	printf 'so\nmuch more\n' >both # for one write(): the shell's printf would write each line separately
	cat both >&"$to"
	line
	equal "$REPLY" so
	sbx kill "$c"
	sbx wait --result result "$c"
	equal "$(python3 -c 'import json; print(json.load(open("result"))["truncated"])')" True
	equal "$(sbx logs "$c")" $'before\nso'
}

@test "of ours only limits are changed, one beside the other" {
	sbx create --name "$c" --timeout 5s "$box" true
	sbx update --cpu-time 7s "$c"
	sbx update --output-limit 1k --output-limit-action kill "$c"
	sbx update --kill-after 2s "$c"
	equal "$(ours Timeout) $(ours CpuTime) $(ours OutputLimit) $(ours OutputLimitAction) $(ours KillAfter)" \
		"5000000000 7000000000 1024 kill 2000000000"
	run -1 sbx update --output-limit-action shout "$c"
	contains "$output" "must be drop or kill"
	equal "$(ours OutputLimitAction)" kill
}

@test "an option that only says how another one's limit ends a program is warned of where that one is not given" {
	local after="WARNING: --kill-after has no effect without --timeout."
	local action="WARNING: --output-limit-action has no effect without --output-limit."
	run -0 --separate-stderr sbx create --name "$c" --kill-after 1s --output-limit-action kill "$box" sleep 100000
	equal "$stderr" "$after
$action"
	run -0 sbx update --kill-after 2s "$c"
	contains "$output" "--kill-after has no effect without --timeout."
	run -0 sbx update --timeout 1000s "$c"
	equal "$output" "$c"
	run -0 sbx update --kill-after 3s "$c"
	equal "$output" "$c"
	sbx start "$c" >/dev/null
	run -0 --separate-stderr sbx exec --kill-after 1s "$c" true
	equal "$stderr" "$after"
	run -0 --separate-stderr sbx exec --timeout 1000s --kill-after 1s --output-limit 1k --output-limit-action kill "$c" true
	equal "$stderr" ""
}

@test "--pids-limit holds for those too who are forked while it is set, beside many who stay" {
	mkdir v
	sbx run -d --name "$c" --pids-limit 1000 -v "$PWD/v:/v" "$py" python3 -c '
import os, resource, signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for i in range(300):
	if os.fork() == 0: signal.pause()
for i in range(4):
	if os.fork() == 0:
		while not os.path.exists("/v/go"):
			if os.fork(): os._exit(0)
			open("/v/in", "w")
		open("/v/%d~" % i, "w").write("%d %d\n" % resource.getrlimit(resource.RLIMIT_NPROC))
		os.rename("/v/%d~" % i, "/v/%d" % i)
		signal.pause()
signal.pause()' >/dev/null
	eventually test -e v/in
	sbx update --pids-limit 500 "$c"
	touch v/go
	for i in 0 1 2 3; do
		eventually test -e "v/$i"
		equal "$(cat "v/$i")" "500 500"
	done
}

@test "many are named by short ids" {
	for n in {1..10}; do
		sbx create --name "$c-$n" "$box" true
	done >ids
	cut -c1-12 ids >short
	mapfile -t ids <short
	sbx update --restart always "${ids[@]}" >said
	diff short said
	[ "$(sbx inspect -f '{{.HostConfig.RestartPolicy.Name}}' "${ids[@]}" | sort | uniq -c)" = "     10 always" ]
	[ "$(sbx stats --no-stream --format '{{.Container}}' "${ids[@]}")" = "$(cat short)" ]
	run -1 --separate-stderr sbx update --restart no "${ids[@]}" 0123456789ab
	[ "$stderr" = "Error response from daemon: No such container: 0123456789ab" ]
	[ "$output" = "$(cat short)" ]
}

@test "changes that cannot be read are not lost, and nothing runs without them" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	id=$(sbx create --network none "$box" true)
	sbx update -m 64m --memory-swap 64m "$id" >/dev/null
	changes=$SBX_ROOT/containers/$id/changes.json
	chmod 000 "$changes"
	run -1 --separate-stderr sbx start "$id"
	contains "$stderr" "ermission denied"
	run -1 --separate-stderr sbx update --pids-limit 50 "$id"
	contains "$stderr" "ermission denied"
	chmod 600 "$changes"
	sbx update --pids-limit 50 "$id" >/dev/null
	equal "$(sbx inspect -f '{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}}' "$id")" "67108864 50"
	sbx rm "$id" >/dev/null
}
