# Lessons from advisories about other container programs: tests for those that no other file tests. lib/SECURITY.md has the table
# of all.
load lib

setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
	sbx ps -aq | xargs -r "$SBX" rm -f >/dev/null
}

# Makes an image of the directory t, with the host's busybox.
image() {
	mkdir -p t/bin
	cp "$(command -v busybox)" t/bin/busybox
	mksquashfs t "$1" -all-root -noappend -quiet -no-progress >/dev/null
}

@test "each lesson of SECURITY.md names a test that there is" {
	bats=$BATS_TEST_DIRNAME
	rows=0
	while IFS='|' read -r _ _ _ _ named _; do
		named=${named# } file=${named%%: *}
		rows=$((rows + 1))
		title=${named#*: }
		grep -qF "@test \"${title% }" "$bats/$file.bats" || { echo "no such test: $named"; return 1; }
	done < <(grep -E '^\| .*\|.*\|.*\|.*\|$' "$bats/../../lib/SECURITY.md" | grep -v '^| advisory \|^| ---')
	[ "$rows" -gt 40 ]
	# and the other way round: each advisory named in a title is in the table
	while read -r id; do
		grep -qF "$id" "$bats/../../lib/SECURITY.md" || { echo "not in SECURITY.md: $id"; return 1; }
	done < <(grep -h '^@test' "$bats"/*.bats | grep -oE 'CVE-[0-9]+-[0-9]+')
}

@test "each promise of SECURITY.md names tests that there are" {
	rows=0
	while IFS='|' read -r _ promise named _; do
		rows=$((rows + 1))
		while IFS= read -r one; do
			grep -qF "@test \"${one#*: }" "$BATS_TEST_DIRNAME/${one%%: *}.bats" || { echo "no such test:$promise: $one"; return 1; }
		done < <(sed 's/^ //; s/ $//; s/; /\n/g' <<<"$named")
	done < <(sed -n '/^## Promises/,/^## Lessons/p' "$BATS_TEST_DIRNAME/../../lib/SECURITY.md" |
		grep '^|' | grep -v '^| promise \|^| ---')
	[ "$rows" -gt 15 ]
}

@test "no descriptor of the caller's reaches the inside, neither by run nor by exec (CVE-2024-21626, CVE-2016-9962)" {
	exec 8<"$BATS_TEST_DIRNAME" 9<"$BATS_TEST_FILENAME"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	# 3 is opened by ls
	equal "$(sbx run --rm "$box" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	equal "$(sbx exec "$c" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	equal "$(sbx exec "$c" ls /proc/1/fd | tr '\n' ' ')" "0 1 2 "
	for fd in 7 8 9 10 11; do
		run sbx run --rm -w "/proc/self/fd/$fd" "$box" ls
		lacks "$output" "$(basename "$BATS_TEST_FILENAME")"
		run sbx exec -w "/proc/self/fd/$fd" "$c" ls
		lacks "$output" "$(basename "$BATS_TEST_FILENAME")"
	done
	exec 8<&- 9<&-
}

@test "no variable of the caller's reaches the inside (CVE-2020-14370)" {
	export SECRET_OF_THE_HOST=1 LD_PRELOAD_OF_OURS=2
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx run --rm "$box" env | cut -d= -f1 | sort | tr '\n' ' ')" "HOME HOSTNAME PATH "
	lacks "$(sbx exec "$c" env)" OF_
	lacks "$(sbx exec "$c" cat /proc/1/environ | tr "\0" "\n")" OF_
}

@test "inheritable and ambient capabilities are none, for run and exec (CVE-2022-24769, CVE-2022-29162)" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for caps in "$(sbx run --rm "$box" cat /proc/self/status)" "$(sbx exec "$c" cat /proc/self/status)" \
		"$(sbx exec -u 12 "$c" cat /proc/self/status)"; do
		contains "$caps" $'CapInh:\t0000000000000000'
		contains "$caps" $'CapAmb:\t0000000000000000'
	done
	contains "$caps" $'CapEff:\t0000000000000000'
}

@test "a number as -u is never a name of the image's passwd (CVE-2016-3697)" {
	printf 'root:x:0:0::/root:/bin/sh\n12:x:0:0::/root:/bin/sh\n' >"$BATS_TEST_TMPDIR/passwd"
	equal "$(sbx run --rm -u 12 -v "$BATS_TEST_TMPDIR/passwd:/etc/passwd" "$box" id -u)" 12
	run -125 sbx run --rm -u '0x0' "$box" id -u
	run -125 sbx run --rm -u '1 2' "$box" id -u
}

@test "a user's number that is too long for the kernel is no other number (CVE-2024-40635)" {
	for user in 4294967296 2147483648 0:4294967296 4294967296:0; do
		run -125 sbx run --rm -u "$user" "$box" id -u
		contains "$output" "uids and gids must be in range 0-2147483647"
		mkdir -p empty
		tar -C empty -c . | sbx import -c "USER $user" - "$c:1" >/dev/null
		run -125 sbx run --rm "$c:1" id -u
		contains "$output" "uids and gids must be in range 0-2147483647"
	done
}

# Makes system calls with arguments that would have an effect, and prints those that were not refused.
calls='
import ctypes, errno, mmap, os, platform, signal
libc = ctypes.CDLL(None, use_errno=True)
refused, X32, NEWUSER = (errno.EPERM, errno.ENOSYS), 0x40000000, 0x10000000
native = dict(unshare=(272, NEWUSER), clone=(56, NEWUSER | 17), clone3=(435, 0, 0), setns=(308, 0, NEWUSER), mount=(165,),
	umount2=(166,), fsopen=(430,), fsconfig=(431,), fsmount=(432,), move_mount=(429,), open_tree=(428,),
	mount_setattr=(442,), pivot_root=(155,), bpf=(321, 0), perf_event_open=(298,), keyctl=(250, 0, -3, 1),
	add_key=(248,), request_key=(249,), userfaultfd=(323, 1), io_uring_setup=(425, 1), io_uring_enter=(426,),
	io_uring_register=(427,), open_by_handle_at=(304,), kexec_load=(246,), kexec_file_load=(320,), init_module=(175,),
	finit_module=(313,), delete_module=(176,), iopl=(172, 3), ioperm=(173, 0, 1, 1), swapon=(167,), swapoff=(168,),
	acct=(163,), settimeofday=(164,), clock_settime=(227,), syslog=(103, 10), quotactl=(179,), move_pages=(279,),
	migrate_pages=(256,), mbind=(237,), set_mempolicy=(238,), lookup_dcookie=(212,), fanotify_init=(300,), vhangup=(153,),
	personality=(135, 0x0040000), uselib=(134,), ustat=(136,), sysfs=(139, 3), sethostname=(170,), pidfd_getfd=(438,),
	kcmp=(312,), process_madvise=(440,), reboot=(169,), AF_ALG=(41, 38, 5), AF_VSOCK=(41, 40, 1), AF_XDP=(41, 44, 3))
compat = dict(unshare=(310, NEWUSER), clone=(120, NEWUSER | 17), clone3=(435,), setns=(346, 0, NEWUSER), mount=(21,),
	umount2=(52,), keyctl=(288, 0, -3), add_key=(286,), bpf=(357,), userfaultfd=(374, 1), io_uring_setup=(425, 1),
	open_by_handle_at=(342,), perf_event_open=(336,), kexec_load=(283,), init_module=(128,), pivot_root=(217,),
	iopl=(110, 3), AF_VSOCK=(359, 40, 1), AF_ALG=(359, 38, 5), AF_XDP=(359, 44, 3))
def alone(what, f):
	"""In a process of its own, which a filter, or a kernel without such calls, may kill."""
	pid = os.fork()
	if pid == 0: os._exit(0 if f() in refused else 1)
	st = os.waitpid(pid, 0)[1]
	if os.WIFEXITED(st) and os.WEXITSTATUS(st): print(what)
def by(nr, *args):
	def f():
		r = libc.syscall(ctypes.c_long(nr), *map(ctypes.c_long, args + (0,) * (5 - len(args))))
		if r == 0 and nr & ~X32 == 56: os._exit(1)
		return ctypes.get_errno() if r < 0 else 0
	return f
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("5389f889f389d131d231f631ffcd805bc3"))  # int 0x80 with two arguments
gate = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_uint] * 3)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
def by_int80(nr, *args):
	def f():
		r = gate(nr, *[a & 0xffffffff for a in (args + (0, 0))[:2]])
		if r == 0 and nr == 120: os._exit(1)
		return -r if r < 0 else 0
	return f
if platform.machine() == "x86_64":
	for name, row in native.items():
		alone(name, by(*row))
		alone("x32 " + name, by(row[0] | X32, *row[1:]))
	for name, row in compat.items(): alone("i386 " + name, by_int80(*row))
print("done")'

@test "calls that reach what is not the container's own are refused, by each number that they have" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	equal "$(sbx run --rm "$py" python3 -c "$calls")" "done"
	equal "$(sbx exec "$c" python3 -c "$calls")" "done"
	equal "$(sbx exec -u 12 "$c" python3 -c "$calls")" "done"
	# without the filter some are not refused, or this tests nothing
	[ "$(uname -m)" != x86_64 ] || [ "$(sbx run --rm --security-opt seccomp=unconfined "$py" python3 -c "$calls" | wc -l)" -gt 1 ]
}

@test "no terminal of the caller's is reached, to type into or to read (CVE-2017-5226, CVE-2016-10124)" {
	type='
import fcntl, os, sys
host = int(sys.argv[1])
fds = [0, 1, 2]
try: fds.append(os.open("/dev/tty", os.O_RDWR))
except OSError: pass
for fd in fds:
	if os.isatty(fd) and os.fstat(fd).st_dev == host: print("the caller has", fd)
	for request in 0x5412, 0x541c:  # TIOCSTI TIOCLINUX
		try: fcntl.ioctl(fd, request, b"x")
		except OSError: pass
print("looked")'
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	for words in "run --rm -i $py" "run --rm -it $py" "exec -i $c" "exec -it $c"; do
		# shellcheck disable=SC2016 # the inner shell's
		run -0 python3 "$BATS_TEST_DIRNAME/terminal.py" -- sh -c '
			words=$1 code=$2
			"$SBX" $words python3 -c "$code" "$(stat -Lc %d /dev/stdin)"
			was=$(stty -g)
			stty -icanon min 0 time 0
			[ -z "$(head -c 1)" ] || echo "something was typed"
			stty "$was"' - "$words" "$type"
		contains "$output" looked
		lacks "$output" "the caller has"
		lacks "$output" "something was typed"
	done
	# shellcheck disable=SC2016 # likewise; outside of a container it is the caller's
	run -0 python3 "$BATS_TEST_DIRNAME/terminal.py" -- sh -c 'python3 -c "$1" "$(stat -Lc %d /dev/stdin)"' - "$type"
	contains "$output" "the caller has"
}

@test "what hides files is no file of the image's, whatever its /dev holds (CVE-2025-31133, CVE-2025-52565)" {
	mkdir -p t/dev/pts outside
	touch outside/f
	ln -s /proc/sys/kernel/core_pattern t/dev/null
	ln -s "$PWD/outside/f" t/dev/console
	ln -s "$PWD/outside/f" t/dev/pts/0
	ln -s "$PWD/outside/f" t/dev/ptmx
	image evil.sqsh
	look='
		for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/interrupts; do
			[ ! -e $f ] || [ -z "$(head -c 1 $f 2>/dev/null)" ] || echo "shown: $f"
		done
		for f in /proc/sysrq-trigger /proc/sys/kernel/core_pattern /proc/kcore; do
			(echo x >$f) 2>/dev/null && echo "written: $f"
		done
		echo x >/dev/console; echo looked'
	for way in --rm -t "-v $PWD/t/dev:/dev" "-t -v $PWD/t/dev:/dev"; do
		# shellcheck disable=SC2086
		run timeout 150 "$SBX" run $way --name "$c" --entrypoint /bin/busybox ./evil.sqsh sh -c "export PATH=/bin; busybox() { /bin/busybox \"\$@\"; }; head() { busybox head \"\$@\"; }; $look"
		[ "$status" -ne 124 ]
		lacks "$output" shown:
		lacks "$output" written:
		[ ! -s outside/f ]
		equal "$(cd outside && echo *)" f
		sbx rm -f "$c" >/dev/null 2>&1 || true
	done
}

@test "nothing that makes the kernel run a program is written, not even with --privileged (CVE-2022-0492)" {
	kept() {
		cat /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug /sys/kernel/uevent_helper 2>/dev/null
		find /sys/fs/cgroup -maxdepth 2 -name release_agent -exec cat {} + 2>/dev/null
		true
	}
	before=$(kept)
	for rights in --cap-drop=KILL "--cap-add=SYS_ADMIN --security-opt seccomp=unconfined --security-opt systempaths=unconfined" --privileged; do
		# shellcheck disable=SC2086
		run -0 sbx run --rm $rights "$box" sh -c '
			mkdir -p /m /c
			for kind in memory rdma pids cpu; do
				mount -t cgroup -o $kind none /c 2>/dev/null && mkdir /c/x 2>/dev/null && echo 1 >/c/x/notify_on_release
			done
			for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug \
				/sys/kernel/uevent_helper /c/release_agent /sys/fs/cgroup/release_agent /sys/fs/cgroup/*/release_agent; do
				[ ! -e "$f" ] || (echo "|/sbx-$0" >"$f") 2>/dev/null && [ -e "$f" ] && echo "written: $f"
			done
			mount -t sysfs none /m 2>/dev/null && (echo /sbx >/m/kernel/uevent_helper) 2>/dev/null && echo "written: a sysfs of its own"
			echo looked' "$c"
		equal "$output" looked
	done
	equal "$(kept)" "$before"
}

@test "files of an image that libraries would read are not waited for (CVE-2019-14271, CVE-2024-9676)" {
	mkdir -p t/etc t/lib/x86_64-linux-gnu t/usr/share/zoneinfo t/d
	echo "$c" >t/d/f
	mkdir -p t/bin && cp "$(command -v busybox)" t/bin/busybox
	# opening one of these would block for ever
	for f in etc/passwd etc/group etc/nsswitch.conf etc/ld.so.preload etc/ld.so.cache etc/localtime etc/subuid etc/mtab \
		lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu/libnss_files.so.2 lib/ld-musl-x86_64.so.1; do
		mkfifo "t/$f"
	done
	timeout 150 tar -C t -c . | sbx import - "$c:evil" >/dev/null
	run -125 timeout 150 "$SBX" run --rm -u nobody "$c:evil" /bin/busybox true
	contains "$output" "nobody"
	timeout 150 "$SBX" run -d --name "$c" "$c:evil" /bin/busybox sleep 100000
	equal "$(timeout 150 "$SBX" cp "$c:/d/f" - | tar -xO)" "$c"
	echo new >new
	timeout 150 "$SBX" cp new "$c:/d/new"
	equal "$(timeout 150 "$SBX" exec -u 5 "$c" /bin/busybox cat /d/new)" new
	timeout 150 "$SBX" top "$c" >top
	timeout 150 "$SBX" diff "$c" >diff
	timeout 150 "$SBX" export -o out.tar "$c"
	timeout 150 "$SBX" commit "$c" "$c:made" >made
	contains "$(cat diff)" "A /d/new"
}

@test "a volume of the image's is filled with nothing of the host's (CVE-2022-23648)" {
	mkdir -p outside t
	echo secret >outside/f
	ln -s "$PWD/outside" t/data
	mkdir -p t/bin && cp "$(command -v busybox)" t/bin/busybox
	for at in /data "/../../../../..$PWD/outside" /data/../data; do
		tar -C t -c . | sbx import -c "VOLUME $at" - "$c:1" >/dev/null
		run sbx run --rm "$c:1" /bin/busybox find / -xdev -name f -exec /bin/busybox cat {} +
		lacks "$output" secret
		run sbx run --rm -v "vol-$c:/data" "$c:1" /bin/busybox cat /data/f
		lacks "$output" secret
		sbx volume rm -f "vol-$c" >/dev/null
	done
	equal "$(cd outside && echo *) $(cat outside/f)" "f secret"
	# files of the image's own directory are copied
	rm t/data && mkdir t/data && echo own >t/data/f
	tar -C t -c . | sbx import -c "VOLUME /data" - "$c:1" >/dev/null
	equal "$(sbx run --rm "$c:1" /bin/busybox sh -c 'echo more >>/data/f; /bin/busybox cat /data/f')" $'own\nmore'
}

@test "no program of the image's runs to tell about it (CVE-2022-1227)" {
	mkdir -p t/bin t/usr/bin
	for name in ps top stat sh ls df; do
		printf '#!/bin/busybox sh\n/bin/busybox touch /mark\n' >"t/bin/$name"
		chmod 755 "t/bin/$name"
		cp "t/bin/$name" t/usr/bin/
	done
	image evil.sqsh
	sbx run -d --name "$c" ./evil.sqsh /bin/busybox sleep 100000 >/dev/null
	sbx top "$c" >/dev/null
	sbx top "$c" -o pid,args,stat >/dev/null
	sbx stats --no-stream "$c" >/dev/null
	sbx ps -as >/dev/null
	sbx inspect -s "$c" >/dev/null
	lacks "$(sbx diff "$c")" mark
	# it is run if the user asks for it
	sbx exec "$c" /bin/ps
	contains "$(sbx diff "$c")" mark
}

@test "what a health check prints without end is neither kept nor held (CVE-2022-31030)" {
	unsanitized "the supervisor holds less than 20 MB"
	sbx run -d --name "$c" --health-cmd 'cat /dev/zero | tr "\0" y' --health-interval 1s --health-timeout 1s "$box" sleep 100000 >/dev/null
	checked() {
		[ "$(sbx inspect -f '{{len .State.Health.Log}}' "$c")" -ge 1 ]
	}
	eventually checked
	sbx inspect -f '{{json .State.Health.Log}}' "$c" >log
	[ "$(wc -c <log)" -lt 40000 ]
	for pid in $(pgrep -x -u "$(id -u)" sbx-supervise); do
		grep -qszxF "SBX_ROOT=$SBX_ROOT" "/proc/$pid/environ" || continue
		[ "$(awk '/^VmHWM/ { print $2 }' "/proc/$pid/status")" -lt 20000 ]
	done
}

@test "a user's number that is too long is no name either, whatever the image's passwd holds (CVE-2026-46680)" {
	mkdir -p t/etc t/bin && cp "$(command -v busybox)" t/bin/busybox
	for number in 4294967296 2147483648 18446744073709551616; do
		printf '%s:x:0:0::/:/bin/sh\n' "$number" >t/etc/passwd
		printf '%s:x:0:\n' "$number" >t/etc/group
		for user in "$number" "5:$number"; do
			tar -C t -c . | sbx import -c "USER $user" - "$c:1" >/dev/null
			run -125 sbx run --rm "$c:1" /bin/busybox id -u
			run -125 sbx run --rm -u "$user" "$c:1" /bin/busybox id -u
		done
	done
}

@test "a group file without end is neither read to its end nor kept (CVE-2026-47262)" {
	unsanitized "no limit of memory can be set"
	sbx run -d --name "$c" -u 0:5 "$box" sh -c 'truncate -s 1000G /etc/group /etc/passwd && exec sleep 100000' >/dev/null
	ended_up() { sbx exec "$c" test -s /etc/passwd; }
	eventually ended_up
	(
		ulimit -v 1000000
		run timeout 100 "$SBX" exec -u root:nobody "$c" true
		[ "$status" -ne 0 ] && [ "$status" -ne 124 ]
		equal "$(timeout 100 "$SBX" exec -u 0:5 "$c" id -g)" 5
		echo x >f
		timeout 100 "$SBX" cp -a f "$c:/tmp/f" # the owner becomes the container's user
	)
}

@test "what a health check or an exec leaves behind holds nobody up (CVE-2026-53495)" {
	nap=$(a_nap)
	sbx run -d --name "$c" --health-cmd "sleep $nap & echo asked" --health-interval 100ms --health-timeout 100s "$box" sleep 100000 >/dev/null
	several() {
		[ "$(sbx inspect -f '{{len .State.Health.Log}}' "$c")" -ge 3 ]
	}
	eventually several
	equal "$(sbx inspect -f '{{.State.Health.Status}}' "$c")" healthy
	sbx exec -d "$c" sh -c "sleep $nap & exit"
	supervisor=$(ps -o ppid= -p "$(sbx inspect -f '{{.State.Pid}}' "$c")" | tr -d ' ')
	[ "$(find "/proc/$supervisor/fd" -mindepth 1 | wc -l)" -lt 40 ]
	sbx rm -f "$c"
	sleeps "$nap" 0
}

@test "a packed archive is unpacked by no program of the container's (CVE-2026-41567)" {
	mkdir -p t/bin t/usr/bin t/d
	for name in gzip gunzip unpigz pigz xz unxz bzip2 bunzip2 zstd unzstd tar sh; do
		printf '#!/bin/busybox sh\n/bin/busybox touch /mark\n' >"t/bin/$name"
		chmod 755 "t/bin/$name"
		cp "t/bin/$name" t/usr/bin/
	done
	image evil.sqsh
	sbx run -d --name "$c" ./evil.sqsh /bin/busybox sleep 100000 >/dev/null
	echo in >f && tar -cf f.tar f
	for by in gzip bzip2 xz zstd; do
		"$by" -c f.tar | sbx cp - "$c:/d"
		equal "$(sbx exec "$c" /bin/busybox cat /d/f)" in
		sbx exec "$c" /bin/busybox rm /d/f
	done
	lacks "$(sbx diff "$c")" mark
}
