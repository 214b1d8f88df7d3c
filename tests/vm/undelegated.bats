# Control groups of version 2, of which the user owns none and cannot get one: the watch enforces limits instead, and the
# result says so.

load ../bats/lib

enforced() {
	python3 -c 'import json,sys; print(json.load(open("result"))["enforced_by"].get(sys.argv[1]))' "$1"
}

hog='import sys
b = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(b), 4096): b[i] = 1
print("held")'

@test "-m: 137, OOMKilled, by the watch" {
	run -137 --separate-stderr sbx run --name "$c" -m 64m --result result "$py" python3 -c "$hog" 400
	lacks "$output" held
	equal "$(sbx inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' "$c")" "true 137"
	lacks "$(enforced memory)" cgroup
}

@test "-m counts a memory file system" {
	run -137 --separate-stderr sbx run --name "$c" -m 32m --tmpfs /t:size=200m --result result "$py" python3 -c '
f = open("/t/f", "wb")
for i in range(200): f.write(bytes(1 << 20)); f.flush()
print("held")
import time
time.sleep(5)'
	equal "$(sbx inspect -f '{{.State.OOMKilled}}' "$c")" true
}

@test "--pids-limit by a resource limit" {
	run -0 sbx run --rm --pids-limit 12 --result result "$py" python3 -c '
import os, time
n = 1
try:
	while n < 50:
		if os.fork() == 0: time.sleep(1000)
		n += 1
except OSError as e: print(e.strerror)
print(n)'
	[ "${lines[1]}" -ge 10 ] && [ "${lines[1]}" -le 12 ]
}

@test "a limit that nothing here can hold is told on standard error" {
	run -0 --separate-stderr sbx run --rm --cpus 0.5 "$box" echo fine
	equal "$output" fine
	contains "$stderr" "WARNING: --cpus has no effect"
}

@test "nobody is asked for a control group in vain for long" {
	# a bus that takes the call and never answers
	mkdir bus
	XDG_RUNTIME_DIR=$PWD/bus python3 - <<-'END' 3>&- &
		import os, socket, time
		s = socket.socket(socket.AF_UNIX)
		s.bind(os.environ["XDG_RUNTIME_DIR"] + "/bus")
		s.listen()
		held = []
		while True: held.append(s.accept())
	END
	background+=("$!")
	eventually test -S bus/bus
	begun=$EPOCHREALTIME
	XDG_RUNTIME_DIR=$PWD/bus sbx run --rm -m 64m "$box" true
	took=$((${EPOCHREALTIME/./} - ${begun/./}))
	[ "$took" -lt $((2000000 * ${SBX_TEST_SLOW:-1})) ] || { echo "took $took us"; return 1; }
}
