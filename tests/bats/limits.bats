load lib

hog='import sys
n = int(sys.argv[1]) << 20
b = bytearray(n)
for i in range(0, n, 4096): b[i] = 1
print("held", flush=True)'

@test "-m: what takes more is killed, 137 and OOMKilled" {
	run -137 sbx run --name "$c" -m 64m "$py" python3 -c "$hog" 300
	lacks "$output" held
	equal "$(sbx inspect -f '{{.State.OOMKilled}} {{.State.ExitCode}}' "$c")" "true 137"
}

@test "-m: what stays below is let be" {
	equal "$(sbx run --rm -m 256m "$py" python3 -c "$hog" 64)" held
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
print("held")
time.sleep(3)'
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
		f() { f & f & }; f 2>/dev/null; exec sleep $nap" >/dev/null
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
