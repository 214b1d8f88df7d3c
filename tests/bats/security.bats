# Attempts to get out, or to reach what the host has, each judged by a fact outside. More of them: lessons (what advisories
# taught), isolation, volumes, cp, archives, image_server.
load lib

setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

# hostile DIR: an image of the directory, with a busybox in it.
hostile() {
	mkdir -p "$1/bin"
	cp "$(command -v busybox)" "$1/bin/busybox"
	mksquashfs "$1" "$1.sqsh" -all-root -noappend -quiet -no-progress >/dev/null
}

@test "--sysctl sets nothing but what belongs to the container (CVE-2022-0811)" {
	before=$(cat /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory)
	for word in kernel.core_pattern='|/bin/evil' 'kernel.shm_rmid_forced=1+kernel.core_pattern=|/bin/evil' \
		'net.ipv4.../../kernel/core_pattern=|/bin/evil' 'net/../kernel/core_pattern=|/bin/evil' \
		vm.overcommit_memory=2; do
		run sbx run --rm --sysctl "$word" "$box" true
		[ "$status" -eq 125 ] || { echo "taken: $word"; return 1; }
	done
	# as with docker: the second line is no second setting
	run sbx run --rm --sysctl $'kernel.shm_rmid_forced=1\nkernel.core_pattern=|/bin/evil' "$box" true
	equal "$(cat /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory)" "$before"
}

@test "the caller's terminal is not the container's, and nothing can be typed into it (CVE-2017-5226)" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	cat >inside.py <<-'END'
		import fcntl, os, termios
		def push(fd):
		    try:
		        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
		        return "typed"
		    except OSError:
		        return "refused"
		print([push(fd) for fd in range(3)])
		try:
		    os.open("/dev/tty", os.O_RDWR)
		    print("a terminal")
		except OSError:
		    print("none")
	END
	cat >outside.py <<-'END'
		import array, fcntl, os, pty, subprocess, sys, termios
		pid, fd = pty.fork()
		if pid:
		    text = b""
		    try:
		        while True:
		            more = os.read(fd, 4096)
		            if not more:
		                break
		            text += more
		    except OSError:
		        pass
		    print(text.decode().replace("\r", ""), end="")
		    sys.exit(os.waitpid(pid, 0)[1] >> 8)
		for args in (["run", "--rm", sys.argv[2]], ["run", "--rm", "-i", sys.argv[2]], ["exec", sys.argv[3]]):
		    subprocess.run([sys.argv[1]] + args + ["python3", "-c", open("inside.py").read()])
		waiting = array.array("i", [0])
		fcntl.ioctl(0, termios.FIONREAD, waiting)
		print("waiting:", waiting[0], flush=True)
	END
	run -0 python3 outside.py "$SBX" "$py" "$c"
	lacks "$output" typed
	lacks "$output" "a terminal"
	equal "$(grep -c '^none' <<<"$output")" 3
	contains "$output" "waiting: 0"
}

@test "a socket of the host's without a file is not reachable (CVE-2020-15257)" {
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind("\0" + sys.argv[1])
s.listen()
print("there", flush=True)
while True: s.accept()[0].send(b"got me")' "sbx-test-$$" >there 3>&- &
	background+=($!)
	eventually grep -q there there
	grep -q "@sbx-test-$$" /proc/net/unix
	run -0 sbx run --rm "$py" python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
	s.connect("\0" + sys.argv[1])
	print(s.recv(10))
except ConnectionRefusedError: print("refused")
print(sys.argv[1] in open("/proc/net/unix").read())' "sbx-test-$$"
	equal "$output" $'refused\nFalse'
}

@test "no process of ours listens on a socket without a file" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for pid in $(ours); do
		for socket in $(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc '0-9\n'); do
			lacks "$(awk -v i="$socket" '$7 == i { print $8 }' /proc/net/unix)" @
		done
	done
}

@test "the caller's keys are not the container's, with and without a filter" {
	cat >key.py <<-'END'
		import ctypes, os, sys
		libc = ctypes.CDLL(None, use_errno=True)
		if len(sys.argv) > 1:
		    text = ctypes.create_string_buffer(64)
		    n = libc.syscall(250, 11, int(sys.argv[1]), text, 64, 0)  # KEYCTL_READ
		    found = libc.syscall(250, 10, -3, b"user", b"sbx-test", 0)  # KEYCTL_SEARCH, of the session
		    print("none" if n < 0 and found < 0 else text.value)
		else:
		    libc.syscall(250, 1, None, 0, 0, 0)  # a session of our own
		    key = libc.syscall(248, b"user", b"sbx-test", b"secret", 6, -3)
		    os.execv("/bin/sh", ["sh", "tries.sh", str(key)])
	END
	cat >tries.sh <<-END
		echo "\$1"
		'$SBX' run --rm -v '$PWD/key.py:/key.py' '$py' python3 /key.py "\$1"
		'$SBX' run --rm --privileged -v '$PWD/key.py:/key.py' '$py' python3 /key.py "\$1"
		'$SBX' run -d --name $c --security-opt seccomp=unconfined -v '$PWD/key.py:/key.py' '$py' sleep 100000 >/dev/null
		'$SBX' exec $c python3 /key.py "\$1"
	END
	run -0 python3 key.py
	[ "${lines[0]}" -gt 0 ] || skip "no package gives it: this machine gives no keys"
	equal "$(tail -n +2 <<<"$output" | tr '\n' ' ')" "none none none "
}

@test "who joins a container cannot be looked into (CVE-2016-9962)" {
	sbx run -d --name "$c" --privileged "$py" python3 -c '
import os
def look(path):
	try: return os.listdir(path) if path.endswith("fd") else open(path, "rb").read(1)
	except OSError: return None
open("/ready", "w").close()
while True:
	for pid in os.listdir("/proc"):
		if not pid.isdigit() or pid == "1": continue
		seen = [look("/proc/%s/%s" % (pid, f)) for f in ("fd", "environ", "maps", "mem", "auxv")]
		# one that is still called so was no other program yet when it was looked at
		try: name = open("/proc/%s/comm" % pid).read()
		except OSError: continue
		if name.startswith("sbx") and any(seen): open("/found", "a").write(name)' >/dev/null
	eventually sbx exec "$c" test -e /ready
	for _ in 1 2 3 4 5 6 7 8; do
		sbx exec "$c" true
		sbx exec -u 12 "$c" true
	done
	equal "$(sbx exec "$c" sh -c 'cat /found 2>/dev/null; true')" ""
}

@test "a mount point that another container flips does not lead out (CVE-2021-30465)" {
	mkdir -p shared/m/x other outside
	echo secret >outside/file
	sbx run -d --name "$c" -v "$PWD/shared:/s" "$box" sh -c "
		ln -s '$PWD/outside' /s/link; ln -s / /s/up; echo >/s/ready
		while :; do mv /s/m /s/dir; mv /s/link /s/m; mv /s/m /s/link; mv /s/up /s/m; mv /s/m /s/up; mv /s/dir /s/m; done" >/dev/null
	eventually test -e shared/ready
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		run sbx run --rm -v "$PWD/shared:/s" -v "$PWD/other:/s/m/x" "$box" sh -c 'echo in >/s/m/x/here; cat /s/link/file'
		lacks "$output" secret
	done
	sbx rm -f "$c"
	equal "$(ls outside)" file
	equal "$(cat outside/file)" secret
}

@test "what hides parts of /proc is ours, whatever the image has in its /dev (CVE-2025-31133, CVE-2025-52565)" {
	before=$(cat /proc/sys/kernel/core_pattern)
	mkdir -p t/dev t/etc
	for name in null zero console pts tty shm mqueue; do
		ln -s /proc/sys/kernel/core_pattern "t/dev/$name"
	done
	hostile t
	run sbx run --rm ./t.sqsh /bin/busybox sh -c 'for f in /dev/null /proc/kcore /proc/keys /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do
		(echo "|/evil" >$f) 2>/dev/null; done; /bin/busybox head -c 1 /proc/kcore | /bin/busybox wc -c'
	equal "${lines[-1]}" 0
	equal "$(cat /proc/sys/kernel/core_pattern)" "$before"
}

@test "nothing is mounted over /proc (CVE-2019-19921, CVE-2023-27561)" {
	mkdir fake
	for at in /proc /proc/ /x/../proc /proc/sys; do
		run sbx run --rm -v "$PWD/fake:$at" "$box" true
		[ "$status" -ne 0 ] || { echo "mounted: $at"; return 1; }
	done
	equal "$(ls -A fake)" ""
}

@test "what tells of the machine's other users is hidden: interrupts, power, temperature" {
	run -0 sbx run --rm "$box" sh -c 'for f in /proc/interrupts /proc/keys /proc/kcore /proc/timer_list /proc/latency_stats; do
			[ ! -s $f ] && [ -z "$(head -c 1 $f 2>/dev/null)" ] || echo "seen: $f"
		done
		for d in /sys/devices/virtual/powercap /sys/firmware /proc/acpi /proc/asound /proc/scsi /sys/devices/system/cpu/cpu*/thermal_throttle; do
			[ ! -d $d ] || [ -z "$(ls -A $d)" ] || echo "seen: $d"
		done'
	equal "$output" ""
}

@test "an image whose passwd is a pipe or a link holds nobody up and reads nothing of the host's (CVE-2024-9676)" {
	mkdir -p t/etc
	mkfifo t/etc/passwd
	hostile t
	run timeout 30 "$SBX" run --rm ./t.sqsh /bin/busybox echo in
	equal "$output" in
	run timeout 30 "$SBX" run --rm -u nobody ./t.sqsh /bin/busybox true
	[ "$status" -ne 124 ] && [ "$status" -ne 0 ]
	printf 'secret:x:77:77::/:/bin/sh\n' >passwd
	rm t/etc/passwd
	ln -s "$PWD/passwd" t/etc/passwd
	hostile t
	run sbx run --rm -u secret ./t.sqsh /bin/busybox id -u
	[ "$status" -ne 0 ]
}

@test "top runs nothing of the image (CVE-2022-1227)" {
	sbx run -d --name "$c" "$box" sh -c 'printf "#!/bin/sh\necho x >>/ran\n" >/bin/ps.new; chmod +x /bin/ps.new
		mv /bin/ps.new /bin/ps; mkdir -p /usr/bin; cp /bin/ps /usr/bin/ps; echo >/ready; exec sleep 100000' >/dev/null
	eventually sbx exec "$c" test -e /ready
	contains "$(sbx top "$c")" sleep
	run -1 sbx exec "$c" test -e /ran
}

@test "a volume that an image names does not lead out (CVE-2022-23648)" {
	mkdir -p t/etc outside
	echo secret >outside/file
	hostile t
	tar -C t -cf t.tar .
	sbx import --change "VOLUME /../../../../../../../..$PWD/outside" t.tar "$c" >/dev/null
	run -0 sbx run --rm "$c" /bin/busybox find / -xdev -name file
	lacks "$output" file
	equal "$(ls outside)" file
}

@test "kinds of sockets that no namespace holds, and handles of files, are refused" {
	run -0 sbx run --rm "$py" python3 -c '
import ctypes, socket
for family in (38, 40):  # AF_ALG, AF_VSOCK
	try: socket.socket(family, socket.SOCK_SEQPACKET if family == 38 else socket.SOCK_STREAM); print("made", family)
	except OSError: pass
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(304, -1, None, 0), ctypes.get_errno())  # open_by_handle_at
print(libc.syscall(425, 1, None), ctypes.get_errno())  # io_uring_setup'
	equal "$output" $'-1 1\n-1 1'
}

@test "a setuid program that the caller's volume has does not become the caller's root" {
	mkdir v
	cp "$(command -v busybox)" v/busybox
	chmod 4755 v/busybox
	equal "$(sbx run --rm -v "$PWD/v:/v" -u 12 "$box" sh -c '/v/busybox touch /v/made 2>/dev/null; stat -c %u /v/busybox >/dev/null; id -u')" 12
	[ ! -e v/made ] || equal "$(stat -c %u v/made)" "$(id -u)"
}

@test "what is killed with its client leaves nothing that goes on: no double fork, session or stopped process" {
	nap=$(a_nap)
	behind run --rm "$box" sh -c "(setsid sh -c 'setsid sleep $nap & exit' &); sh -c 'kill -STOP \$\$; exec sleep $nap' & trap '' TERM HUP INT; echo on; exec sleep $nap"
	line
	eventually sleeps "$nap" 2
	kill -9 "$client"
	client_ends
	eventually sleeps "$nap" 0
}
