load lib

@test "/dev/core is there where the machine has /proc/kcore" {
	want=none
	[ ! -e /proc/kcore ] || want=/proc/kcore
	equal "$(sbx run --rm "$box" sh -c 'readlink /dev/core || echo none')" "$want"
	equal "$(sbx run --rm --shm-size 1m "$box" sh -c 'readlink /dev/core || echo none')" "$want"
}

@test "every namespace is its own" {
	run -0 sbx run --rm "$box" sh -c 'for n in cgroup ipc mnt net pid user uts; do readlink /proc/self/ns/$n; done'
	for link in "${lines[@]}"; do
		[ "$link" != "$(readlink "/proc/self/ns/${link%%:*}")" ] || { echo "shared: $link"; return 1; }
	done
	equal "${#lines[@]}" 7
}

@test "the host's files are not there" {
	touch "$BATS_TEST_TMPDIR/host-file"
	run -0 sbx run --rm "$box" sh -c '
		for f in "'"$BATS_TEST_TMPDIR"'" "'"$SBX"'" "'"$SBX_ROOT"'" "'"$SBX_RUNTIME"'"; do
			! test -e "$f" || echo "there is $f"
		done
		find / -xdev -name host-file 2>/dev/null'
	equal "$output" ""
}

@test "no mount of the host's is seen, and the old root is gone" {
	run -0 sbx run --rm "$box" cat /proc/self/mountinfo
	lacks "$output" " / /host"
	lacks "$output" "$SBX_ROOT/images"
	equal "$(grep -c ' / / ' <<<"$output" | tr -d ' ')" 1
	sbx run --rm "$box" sh -c '! grep -E "shared:|master:" /proc/self/mountinfo'
}

@test "the host's processes are not there" {
	[ "$(sbx run --rm "$box" sh -c 'ls -d /proc/[0-9]* | wc -l')" -le 3 ]
}

@test "two containers do not see each other" {
	nap=$(a_nap)
	sbx run -d --name "$c-1" "$box" sh -c "echo x >/mark; echo x >/dev/shm/mark; exec sleep $nap" >/dev/null
	sbx run -d --name "$c-2" "$box" sleep 100000 >/dev/null
	eventually sbx exec "$c-1" test -e /mark
	run -0 sbx exec "$c-2" sh -c "test -e /mark || test -e /dev/shm/mark || ps -o args | grep '^sleep $nap' || echo alone"
	equal "$output" alone
}

@test "capabilities are docker's default, or what --cap-add and --cap-drop say" {
	equal "$(sbx run --rm "$box" sh -c 'grep -E "^Cap(Bnd|Eff)" /proc/self/status | cut -f 2 | sort -u')" 00000000a80425fb
	equal "$(sbx run --rm --cap-drop ALL "$box" sh -c 'grep -E "^Cap(Bnd|Eff)" /proc/self/status | cut -f 2 | sort -u')" 0000000000000000
	equal "$(sbx run --rm --cap-drop ALL --cap-add NET_BIND_SERVICE "$box" sh -c 'grep -E "^CapBnd" /proc/self/status | cut -f 2')" 0000000000000400
	equal "$(sbx run --rm -u user "$box" sh -c 'grep -E "^CapEff" /proc/self/status | cut -f 2')" 0000000000000000
	run -125 --separate-stderr sbx run --rm --cap-add NONSENSE "$box" true
	contains "$stderr" NONSENSE
}

@test "a seccomp filter is there, and can be left out" {
	contains "$(sbx run --rm "$box" grep ^Seccomp: /proc/self/status)" 2
	run -0 sbx run --rm "$py" python3 -c '
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
add_key, kexec_load, userfaultfd, bpf = {"x86_64": (248, 246, 323, 321), "aarch64": (217, 104, 282, 280)}[os.uname().machine]
for nr, args in ((add_key, (0, 0, 0, 0, 0)), (kexec_load, (0, 0, 0, 0)), (userfaultfd, (0,)), (bpf, (0, 0, 0))):
	r = libc.syscall(nr, *args)
	print(r, ctypes.get_errno())'
	equal "$(sort -u <<<"$output")" "-1 1"
	sbx run --rm --security-opt seccomp=unconfined "$box" true
}

@test "a profile of one's own is read when a container is created, from a pipe too" {
	echo '{ "defaultAction": "SCMP_ACT_ALLOW",
		"syscalls": [{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 5}] }' >profile
	sbx create --name own --security-opt seccomp=profile "$box" mkdir /new
	equal "$(sbx inspect -f '{{index .HostConfig.SecurityOpt 0}}' own)" \
		'seccomp={"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["mkdir","mkdirat"],"action":"SCMP_ACT_ERRNO","errnoRet":5}]}'
	run -1 sbx run --rm --security-opt seccomp=<(cat profile) "$box" mkdir /new
	contains "$output" "Input/output error"
	rm profile
	run -1 sbx start -a own
	contains "$output" "Input/output error"
	sbx rm own
	echo '{"defaultAction":' >profile
	run -125 sbx run --rm --security-opt seccomp=profile "$box" true
	contains "$output" "compacting json for seccomp profile (profile) failed: unexpected end of JSON input"
}

# It could neither exec nor say so nor end, and went on for ever.
@test "a profile that refuses every call, to end included, ends the container" {
	echo '{"defaultAction": "SCMP_ACT_ERRNO"}' >profile
	for action in ERRNO KILL KILL_PROCESS TRAP; do
		echo "{\"defaultAction\": \"SCMP_ACT_$action\"}" >profile
		run -125 sbx run --rm --name "$c" --result result --security-opt seccomp=profile "$box" true
		contains "$output" '"true": ended before it began: the seccomp profile (--security-opt seccomp=FILE) refuses'
		contains "$(cat result)" '"reason":"setup-error"'
		missing "$c"
	done
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["exit", "exit_group", "execve", "execveat"], "action": "SCMP_ACT_ERRNO"}]}' >profile
	run -126 sbx run --rm --name "$c" --security-opt seccomp=profile "$box" true
	contains "$output" "permission denied"
	missing "$c"
}

@test "a profile that kills says whom: a command that begins, or one that never did" {
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["uname", "getppid"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >profile
	run -159 sbx run --rm --security-opt seccomp=profile "$box" uname
	lacks "$output" "ended before"
	sbx run -d --name "$c" --security-opt seccomp=profile "$box" sleep 100000 >/dev/null
	# whose parent is asked for
	run -126 sbx exec "$c" true
	contains "$output" '"true": ended before it began'
	equal "$(sbx top "$c" | wc -l)" 2
	sbx rm -f "$c"
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["prctl"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >profile
	run -125 sbx run --rm --security-opt seccomp=profile "$box" true
	contains "$output" '"true": ended before it began'
}

# A program of the user's own is hidden from the command by one more between the two.
@test "a profile that kills what a start does last says so, if sbx is the user's own, too" {
	cp "$SBX" mine
	cp "$(dirname "$SBX")/sbx-archive" .
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["fcntl"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >fcntl
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["faccessat"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >faccessat
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["execve", "execveat"], "action": "SCMP_ACT_KILL_PROCESS"}]}' >execve
	printf '#!/no/such\n' >script
	chmod 755 script
	run -125 ./mine run --rm --security-opt seccomp=fcntl "$box" true
	contains "$output" '"true": ended before it began: the seccomp profile'
	run -125 ./mine run --rm --security-opt seccomp=faccessat -v "$PWD/script:/script" "$box" /script
	contains "$output" '"/script": ended before it began: the seccomp profile'
	run -159 ./mine run --rm --security-opt seccomp=execve "$box" true # as docker has it
	equal "$output" ""
}

@test "no_new_privs by --security-opt" {
	contains "$(sbx run --rm --security-opt no-new-privileges "$box" grep ^NoNewPrivs /proc/self/status)" 1
}

@test "of a --security-opt that is given twice the last one holds" {
	local -a with=(--security-opt no-new-privileges) without=(--security-opt no-new-privileges=F)
	run -0 sbx run --rm "${without[@]}" "${with[@]}" "$box" grep ^NoNewPrivs /proc/self/status
	equal "$output" $'NoNewPrivs:\t1'
	run -0 sbx run --rm "${with[@]}" "${without[@]}" "$box" grep ^NoNewPrivs /proc/self/status
	equal "$output" $'NoNewPrivs:\t0'
	echo '{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]}' >profile
	run -1 sbx run --rm --security-opt seccomp=unconfined --security-opt seccomp=profile "$box" mkdir /x
	run -0 sbx run --rm --security-opt seccomp=profile --security-opt seccomp=unconfined "$box" mkdir /x
}

@test "what is mounted inside stays inside" {
	mkdir dir
	sbx run -d --name "$c" --cap-add SYS_ADMIN -v "$PWD/dir:/d" "$box" sh -c 'mount -t tmpfs none /d && touch /d/inside && exec sleep 100000' >/dev/null
	eventually sbx exec "$c" test -e /d/inside
	equal "$(ls dir)" ""
	equal "$(sbx exec "$c" grep -cE ' (shared|master):' /proc/self/mountinfo)" 0
}

@test "the kernel's file systems hold no setuid programs, and no mount of ours a device that opens" {
	sbx run --rm "$box" cat /proc/self/mountinfo >mounts
	for at in /proc /sys /dev/shm /dev/mqueue; do
		equal "$at $(awk -v at="$at" '$5 == at { print $6 }' mounts | cut -d, -f2-4)" "$at nosuid,nodev,noexec"
	done
	# the mounts that hide parts of these, or make them read-only
	equal "$(awk '$5 ~ "^/(proc|sys)/" && $5 != "/sys/fs/cgroup" { print $6 }' mounts | cut -d, -f1-4 | sort -u)" ro,nosuid,nodev,noexec
	equal "$(awk '$5 == "/dev/pts" || $5 == "/dev" { print $5, $6 }' mounts | cut -d, -f1,2 | sort)" $'/dev rw,nosuid\n/dev/pts rw,nosuid'
	equal "$(awk '$5 == "/" { print $6 }' mounts | cut -d, -f1,2)" rw,nodev
}

# Docker's seccomp filter forbids these calls. Without it, a key that is found would have come with the command.
@test "no key of the caller's is found inside, whatever the filter" {
	run -0 python3 - "$SBX" "$py" "$c" <<-'END'
		import ctypes, os, subprocess, sys
		sbx, image, name = sys.argv[1:]
		libc = ctypes.CDLL(None)
		keyctl, add_key = {"x86_64": (250, 248), "aarch64": (219, 217)}[os.uname().machine]
		if libc.syscall(keyctl, 1, b"the-caller") < 0 or libc.syscall(add_key, b"user", name.encode(), b"secret", 6, -3) < 0:
		    print("this machine has no keys")
		    sys.exit()
		search = f"import ctypes; print(ctypes.CDLL(None).syscall({keyctl}, 10, -3, b'user', b'{name}', 0))"
		def found(*args):
		    return subprocess.run([sbx, *args, "python3", "-c", search], check=True, stdout=subprocess.PIPE).stdout
		assert libc.syscall(keyctl, 10, -3, b"user", name.encode(), 0) > 0
		for how in ["--security-opt=seccomp=unconfined"], ["--privileged"], []:
		    assert found("run", "--rm", *how, image) == b"-1\n", how
		    subprocess.run([sbx, "run", "-d", "--name", name, *how, image, "sleep", "100000"], check=True)
		    assert found("exec", name) == found("exec", "--privileged", name) == b"-1\n", how
		    subprocess.run([sbx, "rm", "-f", name], check=True)
	END
	lacks "$output" "no keys" || lacking "keyctl() for the caller"
}

# Signals from the caller's terminal, or to the caller's process group, must not reach containers.
@test "commands lead sessions of their own" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	own=$(awk '{ print $6 }' /proc/self/stat)
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	equal "$(awk '{ print $6, $7 }' "/proc/$pid/stat")" "$pid 0"
	[ "$pid" != "$own" ]
	# $$ is the leader: pid, group and session are equal
	equal "$(sbx run --rm "$box" sh -c 'awk "{ print \$5, \$6, \$7 }" /proc/$$/stat')" "1 1 0"
	equal "$(sbx exec "$c" sh -c 'read -r _ _ _ _ group session tty _ </proc/$$/stat; [ "$group $session $tty" = "$$ $$ 0" ] && echo leads')" leads
}

@test "no user namespace, mount or module can be made inside" {
	run -0 sbx run --rm "$box" sh -c '
		unshare -U true 2>/dev/null && echo userns
		mount -t tmpfs none /mnt 2>/dev/null && echo mount
		mount -t proc none /mnt 2>/dev/null && echo proc
		umount /proc 2>/dev/null && echo umount
		echo fine'
	equal "$output" fine
}

# Whoever may mount can make what hides them writable; it is this container's alone.
@test "files that hide others are a container's own if it may mount" {
	write='mount -o remount,rw,bind /proc/keys && chmod 666 /proc/keys && echo written >/proc/keys; cat /proc/keys'
	equal "$(sbx run --rm --cap-add SYS_ADMIN "$box" sh -c "$write")" written
	sbx run -d --name "$c" --ipc shareable "$box" sleep 100000 >/dev/null
	equal "$(sbx run --rm --cap-add SYS_ADMIN --network "container:$c" "$box" sh -c "$write")" written
	for options in "" "--cap-add SYS_ADMIN" "--network container:$c"; do
		# shellcheck disable=SC2086
		equal "$(sbx run --rm $options "$box" cat /proc/keys)" ""
	done
}

@test "what of /proc tells about the host or changes it is hidden or read-only" {
	run -0 sbx run --rm "$box" sh -c '
		for f in /proc/kcore /proc/keys /proc/timer_list /proc/sched_debug /proc/latency_stats; do
			[ ! -e $f ] || [ "$(head -c 1 $f 2>/dev/null | wc -c)" = 0 ] || echo "readable: $f"
		done
		for f in /proc/sys/kernel/hostname /proc/sysrq-trigger /proc/irq/default_smp_affinity /proc/sys/vm/drop_caches /proc/fs; do
			[ ! -e $f ] || [ -d $f ] || ! (: >>$f) 2>/dev/null || echo "writable: $f"
		done
		for d in /proc/acpi /proc/scsi /sys/firmware; do
			[ ! -d $d ] || [ -z "$(ls -A $d 2>/dev/null)" ] || echo "full: $d"
		done'
	equal "$output" ""
}

# One empty file and one empty directory are mounted over the hidden parts, the same ones in all containers of a user.
@test "into what hides parts of /proc nobody writes, nor can its place tell another container anything" {
	run -0 sbx run --rm --cap-add ALL "$box" sh -c '
		for f in /proc/kcore /proc/keys /proc/timer_list /proc/interrupts; do
			[ ! -f $f ] || ! (echo x >>$f) 2>/dev/null || echo "written: $f"
			[ ! -f $f ] || ! chmod 600 $f 2>/dev/null || echo "changed: $f"
		done
		for d in /proc/acpi /proc/scsi /sys/firmware; do
			[ ! -d $d ] || ! mkdir $d/x 2>/dev/null || echo "made: $d/x"
		done'
	equal "$output" ""
	equal "$(find "$SBX_RUNTIME/stage/" -name empty ! -size 0)" ""
	equal "$(find "$SBX_RUNTIME/stage/empty.d" -mindepth 1)" ""
}

@test "who looks after a container can be looked at by nobody but root" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	supervisor=$(ps -o ppid= -p "$(sbx inspect -f '{{.State.Pid}}' "$c")" | tr -d ' ')
	[ "$(stat -c %u "/proc/$supervisor/fd")" != "$(id -u)" ]
}

@test "/sys is read-only" {
	run -0 sbx run --rm "$box" sh -c '[ ! -d /sys/kernel ] || ! mkdir /sys/fs/cgroup/x 2>/dev/null; ! (: >/sys/kernel/x) 2>/dev/null'
}

# A /dev made ahead of time (seeds) must look like one that a container makes itself, as it does with --shm-size.
@test "/dev is the same whether it was made ahead of time or by the container, and nobody else's" {
	local look='cd /dev; ls -lA . shm pts mqueue | sed "s/ [A-Z][a-z][a-z] .* / /" | sort
		grep " /dev" /proc/self/mountinfo | cut -d" " -f4-7,9- | sed "s/size=[0-9]*k/size/" | grep -v " /etc/" | sort
		echo mine >shm/f; echo mine >f'
	sbx run --rm --shm-size 63m "$box" sh -c "$look" >own
	contains "$(cat own)" "/null /dev/null"
	for i in 1 2 3; do
		sbx run --rm "$box" sh -c "$look" >"ahead.$i"
		diff own "ahead.$i"
	done
}

@test "/dev holds docker's devices, and they work" {
	run -0 sbx run --rm "$box" sh -c '
		for d in null zero full random urandom tty; do test -c /dev/$d || echo "no $d"; done
		test -d /dev/shm && test -d /dev/pts && test -d /dev/mqueue && test -L /dev/fd && test -L /dev/stdin && test -L /dev/ptmx
		echo x >/dev/null && [ "$(head -c 4 /dev/zero | wc -c)" = 4 ] && [ "$(head -c 4 /dev/urandom | wc -c)" = 4 ] && echo work
		mknod /dev/sda b 8 0 2>/dev/null && head -c 1 /dev/sda 2>/dev/null && echo "a disk"; true'
	equal "$output" work
}

@test "setuid programs of the image give nothing outside" {
	mkdir dir
	sbx run --rm -v "$PWD/dir:/d" "$box" sh -c 'cp /bin/busybox /d/b && chmod 4755 /d/b'
	equal "$(stat -c %u dir/b)" "$(id -u)"
}

@test "the program itself cannot be written from inside" {
	sum=$(md5sum <"$SBX")
	run sbx run --rm --privileged "$box" sh -c 'for p in /proc/[0-9]*/exe; do (echo x >$p) 2>/dev/null; done; true'
	sbx run -d --name "$c" --privileged "$box" sh -c 'while :; do for p in /proc/[0-9]*/exe; do case $(readlink $p) in *sbx*|*memfd*) (echo x >$p) 2>/dev/null;; esac; done; done' >/dev/null
	for i in 1 2 3 4 5; do
		sbx exec "$c" true
	done
	equal "$(md5sum <"$SBX")" "$sum"
}

@test "an image's working directory or mount point cannot lead to the host's" {
	mkdir -p t/bin
	cp "$(command -v busybox)" t/bin/busybox
	ln -s /proc/self/cwd/../../../.. t/evil
	ln -s ../../../../../../.. t/up
	mksquashfs t evil.sqsh -all-root -noappend -quiet -no-progress >/dev/null
	run sbx run --rm -w "/up$BATS_TEST_TMPDIR/made" ./evil.sqsh /bin/busybox true
	[ ! -e "$BATS_TEST_TMPDIR/made" ]
	for fd in {3..12}; do
		run sbx run --rm -w "/proc/self/fd/$fd" ./evil.sqsh /bin/busybox ls .
		[ "$status" -ne 0 ] || equal "$output" $'bin\ndev\netc\nevil\nproc\nsys\nup'
	done
}

# an_evil_image: evil.sqsh, in which /l/N leads to the N-th descriptor of whoever looks, /h/N from there to this directory of the
# host's, if that is a directory, and /dev to one of the image; and here a program and a file
an_evil_image() {
	mkdir -p t/bin t/l t/h t/d
	cp "$(command -v busybox)" t/bin/busybox
	cp t/bin/busybox echo
	ln -s busybox t/bin/sh
	for fd in {3..48}; do
		ln -s "/proc/self/fd/$fd" "t/l/$fd"
		ln -s "/proc/self/fd/$fd/../../../../../../../../..$PWD" "t/h/$fd"
	done
	ln -s /d t/dev
	mksquashfs t evil.sqsh -all-root -noappend -quiet -no-progress >/dev/null
	echo secret >secret
}

nothing_was_made() {
	equal "$(find "$PWD" "$SBX_ROOT" "$SBX_RUNTIME" -name 'made*' 2>/dev/null)" ""
}

@test "a working directory leads nowhere through what the start has open, and none is made there" {
	an_evil_image
	sbx run -d --name "$c" ./evil.sqsh /bin/busybox sleep 100000 >/dev/null
	for fd in {3..48}; do
		run ! sbx run --rm -w "/l/$fd/made" ./evil.sqsh /bin/busybox true
		run ! sbx run --rm -w "/h/$fd/made" ./evil.sqsh /bin/busybox true
		run ! sbx run --rm -w "/l/$fd" ./evil.sqsh /bin/busybox true
		run ! sbx exec -w "/l/$fd" "$c" /bin/busybox true
	done
	nothing_was_made
}

@test "a command is no program of the host's, through what the start has open" {
	an_evil_image
	"$PWD/echo" works
	sbx run -d --name "$c" ./evil.sqsh /bin/busybox sleep 100000 >/dev/null
	for fd in {3..48}; do
		run -127 sbx run --rm ./evil.sqsh "/h/$fd/echo" leaked
		lacks "$output" leaked
		run -127 sbx exec "$c" "/h/$fd/echo" leaked
		lacks "$output" leaked
	done
}

@test "what is in the place of /dev/null is opened for nobody" {
	an_evil_image
	sbx run -d --name "$c" ./evil.sqsh /bin/busybox sleep 100000 >/dev/null
	sbx exec "$c" sh -c 'busybox rm /dev && busybox mkdir /dev'
	for fd in {3..48}; do
		sbx exec -i "$c" busybox ln -sf "/h/$fd/secret" /dev/null </dev/null
		run ! sbx exec "$c" sh -c 'busybox cat <&0; echo made >&0'
		lacks "$output" secret
	done
	sbx exec -i "$c" sh -c 'busybox rm /dev/null; echo >/dev/null' </dev/null
	run sbx exec "$c" /bin/busybox true
	contains "$output" "error reopening /dev/null inside container: open /dev/null: no such device"
	equal "$(cat secret)" secret
}

@test "nothing is written to a directory of the user's that is mounted in the place of one of apt's" {
	mkdir apt.conf.d
	sbx run --name "$c" "$box" mkdir -p /etc/apt/apt.conf.d
	sbx commit "$c" "$c:1" >/dev/null
	sbx run --rm -v "$PWD/apt.conf.d:/etc/apt/apt.conf.d" "$c:1" true
	sbx run --rm -v "$PWD:/etc/apt" "$c:1" true
	equal "$(ls -A apt.conf.d)" ""
	sbx rmi -f "$c:1" >/dev/null
}

@test "the machine's device nodes keep their mode and owner, whoever is root inside" {
	sbx run -d --name "$c" --device /dev/zero:/dev/mine "$box" sleep 100000 >/dev/null
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	for node in null zero full random urandom tty mine; do
		grep " /dev/$node [a-z]* ro," "/proc/$pid/mounts"
		run sbx exec "$c" chmod 600 "/dev/$node"
		[ "$status" -ne 0 ]
	done
	sbx exec "$c" sh -c 'echo x >/dev/null && echo y >>/dev/mine'
}

@test "/proc and /sys are mounted on directories of the image's only" {
	mkdir -p t/bin t/p
	cp "$(command -v busybox)" t/bin/busybox
	for to in / /p /bin/busybox; do
		ln -sfn "$to" t/proc
		mksquashfs t evil.sqsh -all-root -noappend -quiet -no-progress >/dev/null
		run -125 sbx run --rm ./evil.sqsh /bin/busybox true
		contains "$output" 'error mounting "proc" to rootfs at "/proc": filesystem "proc" must be mounted on ordinary directory'
		rm evil.sqsh
	done
}

@test "an image whose /etc, /dev, /proc or /sys are symbolic links does not lead out" {
	mkdir -p t/bin
	cp "$(command -v busybox)" t/bin/busybox
	ln -s "$BATS_TEST_TMPDIR/outside" t/etc
	mkdir outside
	mksquashfs t evil.sqsh -all-root -noappend -quiet -no-progress >/dev/null
	run sbx run --rm ./evil.sqsh /bin/busybox true
	equal "$(ls -A outside)" ""
	for dir in proc sys dev; do
		rm -f t/etc t/proc t/sys t/dev
		ln -s "$BATS_TEST_TMPDIR/outside" "t/$dir"
		mksquashfs t "$dir.sqsh" -all-root -noappend -quiet -no-progress >/dev/null
		run sbx run --rm "./$dir.sqsh" /bin/busybox true
		equal "$(ls -A outside)" ""
	done
}

@test "signals from inside do not reach outside" {
	behind run --rm "$box" sh -c 'kill -9 -1 2>/dev/null; echo still; exec sleep 100000'
	line
	equal "$REPLY" still
	kill -0 "$client"
	kill -0 $$
}

@test "the state directories are nobody else's" {
	sbx run --rm "$box" true
	equal "$(stat -c %a "$SBX_ROOT")" 700
	equal "$(stat -c %a "$SBX_RUNTIME")" 700
	for mask in 000 077; do
		(umask $mask; sbx run -d --name "$c-$mask" "$box" sleep 100000 >/dev/null)
	done
	[ "$(find "$SBX_RUNTIME" -type s | wc -l)" -ge 2 ]
	equal "$(find "$SBX_RUNTIME" -type s -perm /077)" ""
	mkdir -m 777 open
	run -125 --separate-stderr env SBX_RUNTIME="$PWD/open" "$SBX" run --rm "$box" true
	contains "$stderr" "$PWD/open"
}

@test "names which are paths are refused" {
	for name in ../x a/b . .. 'x/../../y'; do
		run -125 sbx run --rm --name "$name" "$box" true
		run -1 sbx inspect --type container "$name"
	done
}

# The kernel limits them for all of the user's processes together.
@test "descriptors that one container leaves on their way through its sockets keep no other from starting" {
	local has=4096
	[ "$(ulimit -Hn)" -ge "$has" ] || skip "no package gives it: more than $(ulimit -Hn) descriptors"
	ulimit -Sn 1024
	ulimit -Hn "$has"
	mkfifo held
	exec {input}<>held
	input=held behind run --rm -i --name "$c" "$py" python3 -c '
import array, resource, socket, sys
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
files, pairs, refused = array.array("i", [0] * 250), [], False
while not refused:
	pairs.append(socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
	pairs[-1][0].setblocking(False)
	while True:
		try: pairs[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, files)])
		except BlockingIOError: break
		except OSError as e: refused = True; break
print("full", flush=True)
sys.stdin.read()'
	line
	equal "$REPLY" full
	equal "$(sbx run --rm "$box" echo started)" started
	equal "$(sbx exec -t "$c" echo joined | tr -d '\r')" joined
	sbx rm -f "$c" >/dev/null
}

# By default, the kernel allows 3072 for all containers of a machine together.
@test "terminals that one container opens leave others theirs" {
	behind run --name "$c" "$py" python3 -c '
import errno, os, resource, time
most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
n = 0
try:
	while True: os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY); n += 1
except OSError as e: print(n, errno.errorcode[e.errno], flush=True)
time.sleep(100000)'
	line
	equal "$REPLY" "512 ENOSPC"
	equal "$(sbx run --rm -t "$box" echo started | tr -d '\r')" started
	sbx rm -f "$c" >/dev/null
}

# The kernel limits them for all of the user's processes together, desktop and editors included.
@test "inotify instances that a container takes leave the user some" {
	local most
	most=$(cat /proc/sys/fs/inotify/max_user_instances)
	unshare -Ur sh -c "echo $most >/proc/sys/user/max_inotify_instances" ||
		skip "no package gives it: a /proc/sys that can be written"
	run -0 sbx run --rm "$py" python3 -c '
import ctypes, os, resource
libc, n = ctypes.CDLL(None, use_errno=True), 0
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
while n < 100000 and libc.inotify_init() >= 0: n += 1
print(n)'
	[ "$output" -le $((most - most / 4)) ] || { echo "$output of $most"; return 1; }
}

# stops_all NAME: a container in which whatever comes into its pid namespace is stopped, again and again.
stops_all() {
	sbx run -d --name "$1" "$box" sh -c 'while :; do kill -STOP -1; done' >/dev/null
}

# A start may slip through, as what is found stopped is let go on: then its command is stopped, or ends.
@test "who stops all that comes into its pid namespace holds up no start for ever, nor its time limit" {
	stops_all "$c"
	for i in 1 2 3; do
		run timeout -s KILL 100 "$SBX" run --rm --timeout 300ms --pid "container:$c" "$box" sleep 100000
		[[ $status = 124 || ($status = 125 && $output = *"has stopped it before it began"*) ]]
	done
	sbx rm -f "$c"
}

@test "... nor a signal to its client" {
	interrupted() {
		kill -INT "$client" 2>/dev/null || true
		gone "$client"
	}
	stops_all "$c"
	behind run --rm --pid "container:$c" "$box" sleep 100000
	eventually interrupted
	behind exec --result r "$c" sleep 100000
	eventually interrupted
	sbx rm -f "$c"
}

@test "... nor rm -f, also between two runs" {
	stops_all "$c"
	behind run --name "$c-2" --pid "container:$c" "$box" sleep 100000
	eventually sbx inspect -f 1 "$c-2" >/dev/null 2>&1
	timeout -s KILL 100 "$SBX" rm -f "$c-2"
	client_ends
	[[ $status = 125 || $status = 137 ]]
	run timeout -s KILL 100 "$SBX" run -d --name "$c-2" --restart always --pid "container:$c" "$box" sh -c 'exit 3'
	timeout -s KILL 100 "$SBX" rm -f "$c-2"
	sbx rm -f "$c"
}

@test "... nor an exec that nobody waits for" {
	stops_all "$c"
	for i in 1 2 3; do
		run timeout -s KILL 100 "$SBX" exec -d "$c" sleep 100000
		[[ $status = 0 || ($status = 1 && $output = *"has stopped it before it began"*) ]]
	done
	sbx rm -f "$c"
}

# The time limit is shorter than what the kernel leaves a holder of a lease (45 s), and longer than what we do.
@test "who has a lease of what a start or an exec reads does not hold it up" {
	sbx run -d --name "$c" "$py" python3 -c '
import fcntl, os, signal
signal.signal(signal.SIGIO, signal.SIG_IGN)
files = []
for name in "hosts", "hostname", "resolv.conf", "passwd":
    files.append(os.open("/etc/" + name, os.O_RDWR | os.O_CREAT))
    fcntl.fcntl(files[-1], fcntl.F_SETLEASE, fcntl.F_WRLCK)
open("/held", "w")
while True: signal.pause()' >/dev/null
	held() { sbx diff "$c" | grep -q /held; }
	eventually held
	run -125 timeout -s KILL 40 "$SBX" run --rm --network "container:$c" --storage-opt size=20m "$box" true
	contains "$output" "somebody has a lease of it"
	timeout -s KILL 40 "$SBX" exec "$c" true
	sbx rm -f "$c"
}
