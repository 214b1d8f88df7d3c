load lib

setup() {
	c=t$BATS_TEST_NUMBER
	export SBX_ROOT=$BATS_TEST_TMPDIR/d SBX_RUNTIME=$BATS_TEST_TMPDIR/r
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
	sbx ps -aq 2>/dev/null | xargs -r "$SBX" rm -f >/dev/null
	nothing_left
}

# one_sentence TEXT: it has a line with "docker:" or "Error", and is short
one_sentence() {
	[ "$(grep -c . <<<"$1")" -le 4 ] || { echo "too long: $1"; return 1; }
	[ -n "$1" ] || { echo "nothing was said"; return 1; }
	lacks "$1" "Assertion"
	lacks "$1" "core dumped"
}

@test "a truncated image" {
	for size in 0 1 50 96 4096 100000; do
		head -c "$size" "$box" >"cut$size.sqsh"
		run -125 --separate-stderr sbx run --rm "./cut$size.sqsh" true
		one_sentence "$stderr"
		contains "$stderr" "cut$size.sqsh"
	done
	equal "$(sbx ps -aq)" ""
}

@test "a file which is no image" {
	head -c 100000 /dev/urandom >noise.sqsh
	run -125 --separate-stderr sbx run --rm ./noise.sqsh true
	one_sentence "$stderr"
	contains "$stderr" "noise.sqsh"
	mkdir dir.sqsh
	run -125 --separate-stderr sbx run --rm ./dir.sqsh true
	one_sentence "$stderr"
	contains "$stderr" "dir.sqsh: is a directory"
	mkfifo pipe.sqsh
	for file in ./pipe.sqsh /dev/null; do
		run -125 --separate-stderr sbx run --rm "$file" true
		one_sentence "$stderr"
		contains "$stderr" "$file: not a regular file"
	done
	equal "$(sbx ps -aq)" ""
}

@test "an image that is removed, replaced or cut short while containers run of it" {
	cp "$box" one.sqsh
	cp "$box" cut.sqsh
	chmod u+w cut.sqsh
	sbx run -d --name "$c" ./one.sqsh sleep 100000 >/dev/null
	sbx run -d --name "$c.cut" ./cut.sqsh sleep 100000 >/dev/null
	rm one.sqsh
	end_server KILL # the next server gets the file from processes that have it open
	sbx exec "$c" cat /bin/busybox | cmp - <("$SBX" run --rm "$box" cat /bin/busybox)
	sbx stop -t 0 "$c" >/dev/null
	run -1 --separate-stderr sbx start "$c"
	contains "$stderr" "$PWD/one.sqsh: No such file or directory"
	: >cut.sqsh
	sbx exec "$c.cut" cat /bin/busybox /etc/passwd >/dev/null 2>&1 || true # it may fail, but must end
	cp "$box" one.sqsh
	sbx start "$c" >/dev/null
	equal "$(sbx exec "$c" echo in)" in
	sbx rm -f "$c" "$c.cut" >/dev/null
}

@test "an image with garbage in the middle: no crash, no hang, and other containers go on" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	size=$(stat -c %s "$box")
	for at in 20 200 $((size / 4)) $((size / 2)) $((size - 3000)) $((size - 200)); do
		cp "$box" "bad.sqsh"
		chmod u+w bad.sqsh
		dd if=/dev/urandom of=bad.sqsh bs=1 seek="$at" count=128 conv=notrunc status=none
		run timeout 150 "$SBX" run --rm ./bad.sqsh sh -c 'cat /bin/* /etc/* >/dev/null'
		[ "$status" -ne 124 ] || { echo "hangs at $at"; return 1; }
		sbx exec "$c" cat /bin/busybox | cmp - <(sbx exec "$c" cat /bin/busybox)
	done
}

# As Lustre has it where it is mounted without "flock".
@test "a store on a file system without locks: a sentence that names it, and nothing is made" {
	cat >without.py <<-'END'
		import ctypes, os, platform, struct, sys
		number = {"x86_64": 73, "aarch64": 32}[platform.machine()]
		code = b"".join(struct.pack("HBBI", *i) for i in (
		    (0x20, 0, 0, 0), (0x15, 0, 1, number), (6, 0, 0, 0x50000 | 38), (6, 0, 0, 0x7fff0000)))
		room = ctypes.create_string_buffer(code)
		program = struct.pack("HP", 4, ctypes.addressof(room))
		libc = ctypes.CDLL(None, use_errno=True)
		assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
		os.execv(sys.argv[1], sys.argv[1:])
	END
	export SBX_ROOT=$PWD/d
	for words in "run --rm $box true" "create $box" "volume create vol1" "run --rm -v vol1:/v $box true" "image prune -f"; do
		run ! --separate-stderr timeout 60 python3 without.py "$SBX" $words
		contains "$stderr" "$SBX_ROOT"
		contains "$stderr" "Function not implemented"
	done
	equal "$(find d -mindepth 2 ! -name '*.json' -o -path '*/.new-*')" ""
	equal "$(sbx ps -aq; sbx volume ls -q)" ""
}

@test "a full disk" {
	run -0 unshare -Urm --propagation private bash -c '
		mkdir small && mount -t tmpfs -o size=256k none small || exit 77
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/small/r
		head -c 1000000 /dev/zero >small/fill 2>/dev/null
		"$0" run --rm "$1" true
		echo "status $?"
		"$0" create --name full "$1" true
		echo "status $?"
		rm small/fill
		"$0" run --rm --name full "$1" echo works
		echo "status $?"
		"$0" ps -aq' "$SBX" "$box"
	contains "$output" "No space left on device"
	contains "$output" "status 125"
	contains "$output" $'works\nstatus 0'
}

@test "what a full disk keeps from being noted as running does not run: nobody could end it" {
	run -0 unshare -Urm --propagation private bash -c '
		mkdir small && mount -t tmpfs -o size=3m none small || exit 77
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/r
		"$0" create --name cc "$1" sleep 100000 >/dev/null
		"$0" create --name dd -p 127.0.0.1::80 --health-cmd true "$1" sleep 100000 >/dev/null
		"$0" run -d --name ee --restart always -v "$PWD:/v" "$1" sh -c "until [ -e /v/go ]; do :; done" >/dev/null
		head -c 10000000 /dev/zero >small/fill 2>/dev/null
		"$0" start cc
		echo "status $?"
		"$0" start -a dd
		echo "status $?"
		touch go
		until [ "$("$0" inspect -f "{{.State.Status}}" ee)" = exited ]; do :; done
		"$0" ps -a --format "{{.Names}} {{.State}}" | sort
		"$0" rm -f ee
		rm small/fill
		"$0" start cc dd && "$0" rm -f cc dd' "$SBX" "$box"
	equal "$(grep -c 'No space left on device' <<<"$output")" 2
	equal "$(grep -v 'daemon\|failed to start' <<<"$output")" 'status 1
status 1
cc created
dd created
ee exited
ee
cc
dd
cc
dd'
}

@test "a disk that fills while the container writes: an error inside, nothing else" {
	run -0 unshare -Urm --propagation private bash -c '
		mkdir small && mount -t tmpfs -o size=3m none small || exit 77
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/small/r
		"$0" run --name full "$1" sh -c "dd if=/dev/zero of=/big bs=64k count=200 2>&1 | grep -c No.space"
		"$0" rm full && "$0" run --rm "$1" echo works' "$SBX" "$box"
	equal "${lines[0]}" 1
	contains "$output" works
}

@test "what a container wrote is free when rm returns, however busy the machine" {
	run -0 unshare -Urm --propagation private bash -c '
		mkdir small && mount -t tmpfs -o size=3m none small || exit 77
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/small/r
		for i in 1 2 3 4; do while :; do :; done & done
		trap "kill \$(jobs -p)" EXIT
		for i in {1..20}; do
			"$0" run --name full "$1" dd if=/dev/zero of=/big bs=64k count=200 && exit 1
			"$0" rm full && "$0" run --rm "$1" true || exit
		done 2>&1' "$SBX" "$box"
	lacks "$output" "daemon"
}

@test "a store that cannot be written" {
	[ "$(id -u)" -ne 0 ] || lacking "root writes everywhere"
	mkdir -m 500 shut
	run -125 --separate-stderr env SBX_ROOT="$PWD/shut/d" "$SBX" run --rm "$box" true
	one_sentence "$stderr"
	contains "$stderr" "$PWD/shut"
	contains "$stderr" "ermission denied"
}

@test "a store that is another's, or open to others" {
	mkdir -m 777 d
	run -125 --separate-stderr sbx run --rm "$box" true
	one_sentence "$stderr"
	contains "$stderr" "$PWD/d"
	chmod 700 d
}

@test "user namespaces forbidden: the sysctl and its fix are named" {
	# in a user namespace that allows no further one
	run --separate-stderr unshare -Urm bash -c '
		echo 0 >/proc/sys/user/max_user_namespaces || exit 77
		exec "$0" run --rm "$1" true' "$SBX" "$box"
	[ "$status" -ne 77 ] || lacking "/proc/sys cannot be written in a namespace here"
	equal "$status" 125
	one_sentence "$stderr"
	contains "$stderr" "max_user_namespaces"
}

@test "/dev/fuse absent: unpacked instead, without a word" {
	run -0 --separate-stderr unshare -Urm --propagation private bash -c '
		mount --bind /dev/null /dev/fuse 2>/dev/null || [ ! -e /dev/fuse ] || exit 77
		exec "$0" run --rm "$1" echo works' "$SBX" "$box"
	equal "$output" works
	equal "$stderr" ""
}

@test "nested: a container in a container" {
	needs_static
	cp "$SBX" "$box" .
	run -0 sbx run --rm --privileged -v "$PWD/$(basename "$SBX"):/sbx" -v "$PWD/$(basename "$box"):/box.sqsh" "$box" \
		/sbx run --rm /box.sqsh echo deep
	contains "$output" deep
}

@test "kill -9 of the supervisor: the container ends with it and the next command says how" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "setsid sleep $nap & exec sleep $nap" >/dev/null
	eventually sleeps "$nap" 2
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	supervisor=$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")
	[ "$supervisor" -gt 1 ]
	kill -9 "$supervisor"
	eventually sleeps "$nap" 0
	equal "$(sbx wait "$c")" 137
	equal "$(sbx inspect -f '{{.State.Status}}' "$c")" exited
	sbx rm "$c"
}

@test "... without a pid namespace of its own, too" {
	[ "$(printf '%s\n' 6.11 "$(uname -r)" | sort -V | head -n 1)" = 6.11 ] ||
		skip "no package gives it: a kernel that numbers mount namespaces, by which they are found"
	nap=$(a_nap)
	sbx run -d --name "$c" --pid host "$box" sh -c "setsid sleep $nap & exec sleep $nap" >/dev/null
	eventually sleeps "$nap" 2
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")"
	equal "$(sbx wait "$c")" 137
	eventually sleeps "$nap" 0
	sbx rm "$c" >/dev/null
}

# When a process changes its credentials, the kernel drops its parent-death signal.
@test "... whoever the command runs as" {
	nap=$(a_nap)
	sbx run -d --name "$c" -u 1234:1234 "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status")"
	eventually sleeps "$nap" 0
	equal "$(sbx wait "$c")" 137
}

@test "... of one with --rm: nothing is left after the next command" {
	nap=$(a_nap)
	behind run --rm --name "$c" "$box" sh -c "echo up; exec sleep $nap"
	line
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")"
	client_ends
	[ "$status" -ne 0 ]
	eventually sleeps "$nap" 0
	sbx ps -a >/dev/null
	eventually missing "$c"
}

@test "what a reboot leaves is recognised: no runtime directory, another boot id" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	id=$(sbx inspect -f '{{.Id}}' "$c")
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	state=$SBX_ROOT/containers/$id/state
	cp "$state" before
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")"
	eventually sleeps "$nap" 0
	end_server
	rm -rf "$SBX_RUNTIME"
	sed "s/$(cat /proc/sys/kernel/random/boot_id)/00000000-0000-0000-0000-000000000000/" before >"$state"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 255"
	equal "$(sbx ps -q)" ""
	sbx start "$c"
	running "$c"
}

@test "a container's file that was cut short is told, and the container can be removed" {
	id=$(sbx create --name "$c" "$box" true)
	: >"$SBX_ROOT/containers/$id/state"
	run sbx start "$c"
	[ "$status" -ne 0 ]
	sbx create --name "$c-other" "$box" true >/dev/null
	sbx ps -a >/dev/null
	sbx rm -f "$id"
	[ ! -e "$SBX_ROOT/containers/$id" ]
}

@test "a container's configuration that is none is told, and the container can be removed" {
	id=$(sbx create --name "$c" "$box" true)
	for text in "" '{"na' '[]'; do
		printf %s "$text" >"$SBX_ROOT/containers/$id/spec.json"
		for words in "inspect $c" "start $c" "logs $c" "rm $c"; do
			# shellcheck disable=SC2086 # several words
			run sbx $words
			[ "$status" -ne 0 ]
			contains "$output" "containers/$id/spec.json: no"
		done
	done
	run -0 sbx rm -f "$c"
	[ ! -e "$SBX_ROOT/containers/$id" ]
}

# Kills the client, the supervisor or the image server at random moments. Afterwards nothing may be
# left. The seed is printed, and can be given as $SEED.
@test "kill -9 at random moments leaves nothing" {
	seed=${SEED:-$((EPOCHSECONDS % 32768))}
	echo "SEED=$seed"
	RANDOM=$seed
	for round in {1..40}; do
		args=(run --name "$c-$round")
		((RANDOM % 2)) && args+=(--rm)
		"$SBX" "${args[@]}" "$box" sh -c 'echo up; usleep 100000; seq 1000' >/dev/null 2>&1 3>&- </dev/null &
		client=$!
		read -rt "0.0$((RANDOM % 80 + 10))" nothing <>"$BATS_FILE_TMPDIR/never" || true
		case $((RANDOM % 3)) in
		0) kill -9 "$client" 2>/dev/null ;;
		1) # the supervisors of this store
			for pid in $(pgrep -x -u "$(id -u)" sbx-supervise); do
				grep -qszxF "SBX_ROOT=$SBX_ROOT" "/proc/$pid/environ" && kill -9 "$pid" 2>/dev/null
			done ;;
		2) for pid in $(server_pid); do kill -9 "$pid" 2>/dev/null; done ;;
		esac
		wait "$client" 2>/dev/null || true
	done
	# the next commands clean up
	sbx ps -a >/dev/null
	sbx run --rm "$box" true
	eventually eval '[ -z "$(sbx ps -q)" ]'
	sbx ps -aq | xargs -r "$SBX" rm >/dev/null
	nothing_left
	equal "$(sbx run --rm "$box" echo works)" works
}

@test "kill -9 of execs at random moments leaves nothing in the container" {
	seed=${SEED:-$((EPOCHSECONDS % 32768))}
	echo "SEED=$seed"
	RANDOM=$seed
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for round in {1..30}; do
		"$SBX" exec "$c" sh -c 'setsid sleep 100000 & sleep 100000' >/dev/null 2>&1 3>&- </dev/null &
		client=$!
		read -rt "0.0$((RANDOM % 50 + 10))" nothing <>"$BATS_FILE_TMPDIR/never" || true
		kill -9 "$client" 2>/dev/null
		wait "$client" 2>/dev/null || true
	done
	eventually eval '[ "$(sbx exec "$c" ls /proc | grep -cE "^[0-9]+$")" -le 3 ]'
	running "$c"
}

# All files, except directories that are kept for new containers.
files() {
	find "$SBX_ROOT" "$SBX_RUNTIME" -path "$SBX_ROOT/spare" -prune -o -print | sort
}

@test "a hundred runs leave the store as it was" {
	sbx run --rm "$box" true
	eventually no_files_left
	before=$(files)
	for i in {1..100}; do
		sbx run --rm "$box" true
	done
	eventually no_files_left
	equal "$(files)" "$before"
	[ "$(find "$SBX_ROOT/spare" -mindepth 1 -maxdepth 1 | wc -l)" -le 4 ]
}
