# Unusual machines and callers: things are missing or forbidden, names are odd. Each time it works, or one sentence says what to
# do.

load lib

# sentence TEXT...: standard error is one line with these words, apart from docker's usual lines around it
# shellcheck disable=SC2154 # `run` assigns it
sentence() {
	[ "$(grep -vc -e '^$' -e '^Run ' <<<"$stderr")" -eq 1 ] || { echo "not a sentence: $stderr"; return 1; }
	local part
	for part; do
		contains "$stderr" "$part"
	done
}

# lived: a container can be started, joined by exec, listed and removed
lived() {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx exec "$c" echo in)" in
	running "$c"
	sbx rm -f "$c" >/dev/null
}

# --- where things are ----------------------------------------------------------------------------

@test "no HOME: it is what the list of users says, as docker has it" {
	[ "$(getent passwd "$(id -u)")" ] || skip "no package gives it: this user in the list of users"
	listed=$(getent passwd "$(id -u)" | cut -d: -f6)
	unset SBX_ROOT XDG_DATA_HOME
	for home in "-u HOME" "HOME="; do
		run --separate-stderr env $home "$SBX" info --format '{{.DockerRootDir}}'
		if [ -w "$listed" ]; then
			equal "$output" "$listed/.local/share/sbx"
		else
			sentence "$listed"
		fi
	done
}

@test "a HOME that is nowhere, one that cannot be written: SBX_ROOT is named" {
	mkdir -m 555 readonly
	unset SBX_ROOT XDG_DATA_HOME
	export DOCKER_CONFIG=$PWD # else there would be docker's warning about ~/.docker below a file
	for home in relative /nonexistent/x "$PWD/readonly" /dev/null; do
		run -125 --separate-stderr env HOME="$home" "$SBX" run --rm "$box" true
		sentence SBX_ROOT
	done
}

@test "XDG directories that are missing or not ours" {
	unset SBX_ROOT SBX_RUNTIME
	export XDG_DATA_HOME=$PWD/x/y/data XDG_CONFIG_HOME=/proc/1/root
	equal "$(sbx run --rm "$box" echo works)" works
	[ -d x/y/data/sbx ]
	server=$(grep -lsF "$PWD/x/y/data" /proc/[0-9]*/environ | cut -d/ -f3 | head -n 1)
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
}

# As where /run/user is emptied at the end of a login session, /tmp is each job's own, or old files are removed from it.
@test "a container whose runtime files are gone, or in another directory, goes on, and can be ended" {
	other=$PWD/other
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	rm "$SBX_RUNTIME/c/$id."*
	running "$c"
	equal "$(sbx ps -aq --no-trunc)" "$id"
	equal "$(sbx exec "$c" echo in)" in
	sbx wait "$c" >code 3>&- &
	sbx stop -t 0 "$c" >/dev/null
	wait $!
	equal "$(cat code)" 137
	equal "$(sbx inspect -f '{{.State.Status}}' "$c")" exited
	sbx start "$c" >/dev/null
	running "$c"
	for _ in 1 2; do
		equal "$(SBX_RUNTIME=$other sbx ps -a --format '{{.State}}')" running
		run -1 env SBX_RUNTIME="$other" "$SBX" rm "$c"
		running "$c"
		for _ in 1 2 3 4 5 6 7 8 9 10; do # there are life files of both, one of which may have ended this moment
			SBX_RUNTIME=$other sbx restart -t 0 "$c" >/dev/null
			equal "$(sbx ps -a --format '{{.State}}')" running
			sbx restart -t 0 "$c" >/dev/null
		done
		SBX_RUNTIME=$other sbx restart -t 0 "$c" >/dev/null
		equal "$(sbx ps -a --format '{{.State}}')" running
		equal "$(sbx exec "$c" echo in)" in
	done
	SBX_RUNTIME=$other sbx kill "$c" >/dev/null
	equal "$(sbx wait "$c")" 137
	sbx rm "$c" >/dev/null
	SBX_RUNTIME=$other end_server
}

# Its supervisor has no socket there, over which it could be told.
@test "from another runtime directory a container is ended in spite of its restart policy, and kept in spite of --rm" {
	other=$PWD/other
	for words in "stop -t 0" kill; do
		sbx run -d --name "$c" --restart always "$box" sleep 100000 >/dev/null
		SBX_RUNTIME=$other sbx $words "$c" >/dev/null
		ended "$c"
		equal "$(sbx inspect -f '{{.RestartCount}}' "$c")" 0
		sbx start "$c" >/dev/null
		SBX_RUNTIME=$other sbx restart -t 0 "$c" >/dev/null
		running "$c"
		sbx rm -f "$c" >/dev/null
		run -1 "$SBX" inspect "$c"
	done
	sbx run -d --name "$c" --rm "$box" sleep 100000 >/dev/null
	SBX_RUNTIME=$other sbx restart -t 0 "$c" >/dev/null
	running "$c"
	sbx stop -t 0 "$c" >/dev/null
	run -1 "$SBX" inspect "$c"
	# between two runs, when there is no process that could be killed
	sbx run -d --name "$c" --restart always "$box" false >/dev/null
	SBX_RUNTIME=$other sbx rm -f "$c" >/dev/null
	run -1 "$SBX" inspect "$c"
	sbx ps >/dev/null # takes away what is left in this runtime directory
	SBX_RUNTIME=$other end_server
}

@test "from another runtime directory a container is followed, attached to, updated and waited for" {
	other=$PWD/other
	# the second time there is a life file of an earlier life
	for _ in 1 2; do
		[ -n "$(sbx ps -aq)" ] || sbx create --name "$c" --restart always "$box" \
			sh -c 'rm -f /go; echo up; while [ ! -e /go ]; do usleep 20000; done; exit 5' >/dev/null
		sbx start "$c" >/dev/null
		SBX_RUNTIME=$other "$SBX" logs -f "$c" >followed 3>&- &
		following=$!
		SBX_RUNTIME=$other "$SBX" attach --no-stdin "$c" >attached 3>&- &
		attached=$!
		SBX_RUNTIME=$other sbx update --pids-limit 1000 "$c" >/dev/null
		SBX_RUNTIME=$other "$SBX" wait "$c" >code 3>&- &
		waiting=$!
		eventually connected "$waiting"
		eventually connected "$attached"
		sbx exec "$c" touch /go || true # it may end with the container
		wait "$waiting"
		equal "$(cat code)" 5
		status=0
		wait "$attached" || status=$?
		equal "$status" 5
		sbx stop -t 0 "$c" >/dev/null
		wait "$following"
		contains "$(cat followed)" up
		SBX_RUNTIME=$other sbx start "$c" >/dev/null
		SBX_RUNTIME=$other sbx stop -t 0 "$c" >/dev/null
		SBX_RUNTIME=$other sbx cp "$box" "$c:/box"
	done
	sbx rm "$c" >/dev/null
	SBX_RUNTIME=$other end_server
}

@test "who starts a container from two runtime directories at once starts it once" {
	other=$PWD/other nap=$(a_nap)
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sbx create --name "$c" "$box" sleep "$nap" >/dev/null
		SBX_RUNTIME=$other "$SBX" start "$c" >/dev/null 3>&- &
		sbx start "$c" >/dev/null
		wait $!
		running "$c"
		SBX_RUNTIME=$other sbx rm -f "$c" >/dev/null
		eventually sleeps "$nap" 0
	done
	equal "$(sbx ps -q)" "" # which takes away what the other directory did not have
	SBX_RUNTIME=$other end_server
}

@test "what runs on another machine that shares the store is named, and left alone" {
	echo 00000000-1111-2222-3333-444444444444 >boot
	there() {
		SBX_RUNTIME=$PWD/there unshare -Urum sh -c 'mount --bind boot /proc/sys/kernel/random/boot_id &&
			hostname node17 && exec "$@"' - "$SBX" "$@"
	}
	there version >/dev/null 2>&1 || skip "no package gives it: a host name of one's own"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(there ps -a --format '{{.Names}} {{.State}}')" "$c running"
	for words in "exec $c true" "stop $c" "kill $c" "wait $c" "restart $c" "pause $c" "top $c" "cp $c:/etc/passwd -" "update --pids-limit 500 $c"; do
		run -1 --separate-stderr there $words
		contains "$stderr" "runs on the machine \"$(hostname)\", where alone it can be reached"
		running "$c"
	done
	run -1 there rm "$c"
	contains "$output" "container is running"
	sbx stop -t 0 "$c" >/dev/null
	equal "$(there rm "$c")" "$c"
	SBX_RUNTIME=$PWD/there end_server
}

@test "a machine that started again by another name, or has another one's disk, knows that what ran has ended" {
	case $(stat -f -c %T "$BATS_FILE_TMPDIR") in ext2/ext3 | xfs | btrfs | tmpfs | overlayfs | f2fs | zfs) ;;
	*) skip "no package gives it: a file system that no other machine shares" ;;
	esac
	for options in "--name $c" "--name $c-rm --rm"; do
		# shellcheck disable=SC2086
		id=$(sbx run -d $options "$box" sleep 100000)
		pid=$(sbx inspect -f '{{.State.Pid}}' "$id")
		read -r _ _ _ supervisor _ <"/proc/$pid/stat"
		kill -9 "$supervisor"
		eventually gone "$pid"
		sed -i -e 's/^boot_id .*/boot_id 00000000-1111-2222-3333-444444444444/' -e 's/^host .*/host node17/' \
			"$SBX_ROOT/containers/$id/state"
	done
	equal "$(sbx ps -a --format '{{.Names}} {{.State}}')" "$c exited"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 255
	sbx start "$c" >/dev/null
	running "$c"
	sbx rm -f "$c" >/dev/null
}

@test "a machine that has got another name since is still the one where a container runs" {
	renamed() {
		unshare -Uru sh -c 'hostname node17 && exec "$@"' - "$SBX" "$@"
	}
	unshare -Uru hostname node17 2>/dev/null || skip "no package gives it: a host name of one's own"
	sbx run -d --name "$c" --restart always "$box" sleep 100000 >/dev/null
	equal "$(renamed ps -a --format '{{.Names}} {{.State}}')" "$c running"
	equal "$(renamed stop -t 0 "$c")" "$c"
	equal "$(renamed wait "$c")" 137
	equal "$(sbx ps -a --format '{{.State}}')" exited
	sbx rm "$c" >/dev/null
}

# As between two sandboxes of an agent, each with a pid namespace of its own, which share the store and the runtime directory.
@test "what runs in another pid namespace can be ended from here, and is said to be there by what needs its processes" {
	there() {
		timeout -k 1 60 unshare -Urpf --kill-child --mount-proc "$SBX" "$@"
	}
	unshare -Urpf --mount-proc true 2>/dev/null || skip "no package gives it: a pid namespace of one's own"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for words in "exec $c true" "cp $c:/etc/passwd -" "top $c" "pause $c"; do
		run -1 --separate-stderr there $words
		contains "$stderr" "runs in another pid namespace, where alone its processes can be reached"
		equal "$(there ps -a --format '{{.Names}} {{.State}}')" "$c running"
		running "$c"
	done
	equal "$(there stats --no-stream --format '{{.CPUPerc}} {{.MemUsage}} {{.MemPerc}} {{.NetIO}} {{.BlockIO}} {{.PIDs}}' "$c")" \
		"-- -- / -- -- -- -- --"
	equal "$(there kill -s HUP "$c")" "$c"
	running "$c"
	equal "$(there stop -t 0 "$c")" "$c"
	equal "$(there ps -a --format '{{.State}}')" exited
	equal "$(sbx wait "$c")" 137
	sbx start "$c" >/dev/null
	equal "$(there kill "$c")" "$c"
	equal "$(sbx wait "$c")" 137
	sbx start "$c" >/dev/null
	# with another runtime directory; and where the container's cannot be seen, either, as no socket can be, then
	equal "$(SBX_RUNTIME=$PWD/apart there restart -t 0 "$c")" "$c"
	sbx stop -t 0 "$c" >/dev/null
	sbx start "$c" >/dev/null
	apart() {
		env SBX_RUNTIME="$PWD/apart" timeout -k 1 60 unshare -Urpfm --kill-child --mount-proc \
			sh -c 'mount -t tmpfs none "$1" && shift && exec "$@"' - "$SBX_RUNTIME" "$SBX" "$@"
	}
	for words in "stop -t 0" "kill" "rm -f" "restart -t 0" top pause; do
		run -1 --separate-stderr apart $words "$c"
		contains "$stderr" "runs in another pid namespace, where alone its processes can be reached"
		equal "$(apart ps -a --format '{{.Names}} {{.State}}')" "$c running"
	done
	equal "$(apart start "$c")" "$c"
	equal "$(apart container prune -f)" "Total reclaimed space: 0B"
	running "$c"
	equal "$(there rm -f "$c")" "$c"
	equal "$(sbx ps -aq)" ""
	end_server
}

# That is how systemd-tmpfiles is told to leave it alone.
@test "while a container runs its runtime directory is locked" {
	export SBX_RUNTIME=$PWD/r
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run ! flock -n -x "$SBX_RUNTIME" true
	sbx rm -f "$c" >/dev/null
	end_server
	eventually flock -n -x "$SBX_RUNTIME" true
}

@test "a store that was moved has its containers still, with what they wrote" {
	local store=$SBX_ROOT
	export SBX_ROOT=$PWD/one
	sbx import "$box" "$c:1" >/dev/null
	sbx run --name "$c" --network none -v "$c-v:/v" "$c:1" sh -c 'echo wrote >>/f; echo kept >>/v/g; cat /f /v/g' >/dev/null
	SBX_OVERLAY=off sbx run --name "$c-p" --network none "$c:1" sh -c 'echo wrote >>/f; cat /f' >/dev/null
	mv one one-and-more
	export SBX_ROOT=$PWD/one-and-more
	equal "$(sbx start -a "$c")" $'wrote\nwrote\nkept\nkept'
	equal "$(SBX_OVERLAY=off sbx start -a "$c-p")" $'wrote\nwrote'
	mv one-and-more one
	export SBX_ROOT=$PWD/one
	equal "$(sbx cp "$c:/f" - | tar -xO)" $'wrote\nwrote'
	equal "$(sbx diff "$c" | grep -x 'A /f')" 'A /f'
	sbx commit "$c" "$c:2" >/dev/null
	equal "$(sbx run --rm --network none "$c:2" cat /f)" $'wrote\nwrote'
	contains "$(sbx inspect -f '{{.GraphDriver.Data.LowerDir}}' "$c")" "$SBX_ROOT/layers/"
	mv one other
	export SBX_ROOT=$PWD/other
	contains "$(sbx inspect -f '{{.GraphDriver.Data.LowerDir}}' "$c")" "$SBX_ROOT/layers/"
	sbx rm -v "$c" "$c-p" >/dev/null
	sbx volume rm "$c-v" >/dev/null
	sbx rmi "$c:1" "$c:2" >/dev/null
	export SBX_ROOT=$store
}

@test "a store on a memory file system that runs no programs" {
	run -0 unshare -Urm sh -c '
		mkdir t && mount -t tmpfs -o noexec,nosuid,nodev none t && export SBX_ROOT=$PWD/t/d SBX_RUNTIME=$PWD/t/r
		"$1" run --rm "$2" sh -c "rm -r /var && mkdir /n && cp /bin/busybox /n/echo && exec /n/echo works"' - "$SBX" "$box"
	equal "$output" works
}

@test "... and where overlay is refused too: the mount is named, and what to do" {
	run -125 --separate-stderr unshare -Urm sh -c '
		mkdir t && mount -t tmpfs -o noexec,nosuid,nodev none t && export SBX_ROOT=$PWD/t/d SBX_RUNTIME=$PWD/t/r
		SBX_OVERLAY=off exec "$1" run --rm "$2" true' - "$SBX" "$box"
	sentence "$PWD/t is mounted noexec" SBX_ROOT
}

@test "a store that is read-only: what reads works, what writes names it, doctor says BAD" {
	export SBX_ROOT=$PWD/ro SBX_RUNTIME=$PWD/r
	sbx import "$box" here
	readonly() {
		unshare -Urm sh -c 'mount --bind "$SBX_ROOT" "$SBX_ROOT" && mount -o remount,ro,bind "$SBX_ROOT" && exec "$@"' - "$SBX" "$@"
	}
	equal "$(readonly images --format '{{.Repository}}')" here
	equal "$(readonly ps -a -q)" ""
	equal "$(readonly volume ls -q)" ""
	run -0 readonly system df
	run -125 --separate-stderr readonly run --rm here true
	sentence "$SBX_ROOT" SBX_ROOT "Read-only file system"
	run -1 --separate-stderr readonly volume create v
	sentence "$SBX_ROOT" "Read-only file system"
	run -1 --separate-stderr readonly import "$box" other
	sentence "$SBX_ROOT" "Read-only file system"
	run -1 --separate-stderr readonly rmi here
	sentence "Read-only file system"
	run -1 readonly doctor
	contains "$output" "BAD   store"
	equal "$(sbx run --rm here echo works)" works
	end_server
}

@test "few files in a file system: the place is named, nothing is half there, and with enough it works" {
	run -0 unshare -Urm bash -c '
		mkdir t
		export SBX_ROOT=$PWD/t/d SBX_RUNTIME=$PWD/t/r
		rest() { find t/d/{containers,names,layers,images} -mindepth 1 2>/dev/null; }
		for most in 10 22 34 2000; do
			mount -t tmpfs -o "nr_inodes=$most" few t || exit
			said=$("$1" run --rm --name web "$2" sh -c "rm -r /var && echo works" 2>&1 </dev/null)
			"$1" import "$2" here >/dev/null 2>here && "$1" rmi here >/dev/null
			grep -q "$PWD/t" here || [ ! -s here ] || cat here
			"$1" image prune -f >/dev/null 2>&1 # it may be complete but for its name
			for ((i = 0; i < 1000; i++)); do # --rm may not be done yet
				[ -n "$(rest)" ] || break
				read -rt 0.02 <>"$3" || true
			done
			rest
			case $said in
			works) seen=$most ;;
			*"$PWD/t"*"No space left on device"* | rm:*) [ -z "$seen" ] ;;
			*) echo "$most: $said" ;;
			esac || echo "$most: $said"
			umount -l t
		done
		echo "${seen:-never}"' - "$SBX" "$box" "$BATS_FILE_TMPDIR/never"
	equal "$output" 2000
}

@test "limits of namespaces that are too small: the sysctl is named" {
	for kind in mnt pid net ipc uts cgroup; do
		run -125 --separate-stderr unshare -Urm sh -c 'echo 0 >"/proc/sys/user/max_$1_namespaces" || exit 77
			SBX_RUNTIME=$PWD/r$1 exec "$2" run --rm "$3" true' - $kind "$SBX" "$box"
		sentence "user.max_" sysctl
	done
}

@test "very long names of directories" {
	long=$(printf "/$(printf 'y%.0s' {1..50})%.0s" {1..60})
	mkdir -p ".$long"
	cp "$box" ".$long/i.sqsh"
	equal "$(sbx run --rm -v "$PWD$long:/m$long" ".$long/i.sqsh" ls "/m$long")" i.sqsh
	SBX_ROOT=$PWD$long run -125 --separate-stderr sbx run --rm "$box" true
	sentence SBX_ROOT
}

@test "spaces, new lines, colons, commas and quotes in the names of images, mounts and stores" {
	for name in 'two words' $'two\nlines' 'co:lon' 'com,ma' 'back\slash' 'quo"te'; do
		mkdir -p "$name"
		cp "$box" "$name/an $name.sqsh"
		echo "$name" >"$name/f"
		equal "$(sbx run --rm "./$name/an $name.sqsh" echo works)" works
		equal "$(sbx run --rm --mount "type=bind,\"src=$PWD/${name//\"/\"\"}\",dst=/m" "$box" cat /m/f)" "$name"
		case $name in
		*:*)
			run -125 --separate-stderr sbx run --rm -v "$PWD/$name:/m" "$box" true
			sentence "invalid mode: /m" ;;
		*) equal "$(sbx run --rm -v "$PWD/$name:/m $name" "$box" cat "/m $name/f")" "$name" ;;
		esac
		equal "$(SBX_ROOT=$PWD/$name/d sbx run --rm "$box" sh -c 'rm -r /var && echo works')" works
		equal "$(SBX_ROOT=$PWD/$name/d SBX_FUSE=off sbx run --rm "$box" sh -c 'rm -r /var && echo works')" works
	done
}

@test "a working directory that is gone" {
	mkdir gone
	cd gone
	rmdir ../gone
	equal "$(sbx run --rm "$box" echo works)" works
	run -125 --separate-stderr sbx run --rm ./x.sqsh true
	sentence "No such image: ./x.sqsh"
	cd "$BATS_TEST_TMPDIR"
}

# --- who calls -----------------------------------------------------------------------------------

# In /tmp, anybody may make such a link.
@test "a runtime directory in /tmp that is a link to one of the caller's is refused" {
	mkdir t
	run -0 unshare -Urm --propagation private bash -c '
		mount -t tmpfs none t && cp "$0" t/sbx && mkdir -m 700 t/other || exit 77
		unset SBX_RUNTIME XDG_RUNTIME_DIR
		export SBX_ROOT=/tmp/d
		mount --move t /tmp 2>/dev/null # it complains about a file in /run
		[ -e /tmp/sbx ] || exit 77
		/tmp/sbx ps >/dev/null 2>&1
		place=$(echo /tmp/sbx-0*)
		[ -d "$place" ] && rm -r "$place" && ln -s /tmp/other "$place" || exit 76
		/tmp/sbx run --rm none true
		echo "status $?"
		ls /tmp/other' "$SBX"
	contains "$output" "open directory /tmp/sbx-0"
	equal "${lines[-1]}" "status 125"
}

@test "a /tmp that became read-only: the next place is taken, and if there is none what runs can be looked at" {
	mkdir t
	run -0 unshare -Urm --propagation private bash -c '
		mount -t tmpfs none t && cp "$0" t/sbx && mount -t tmpfs -o mode=700 none /mnt || exit 77
		unset SBX_RUNTIME XDG_RUNTIME_DIR
		export SBX_ROOT=/mnt/d
		mount --move t /tmp 2>/dev/null # it complains about a file in /run
		[ -e /tmp/sbx ] || exit 77
		/tmp/sbx ps -aq && mount -o remount,bind,ro /tmp || exit 76
		/tmp/sbx ps -aq
		echo "status $?"
		XDG_RUNTIME_DIR=/mnt /tmp/sbx ps -aq
		echo "status $?"
		ls /mnt' "$SBX"
	equal "$output" "status 0
status 0
d
sbx"
}

@test "no masks of the caller's get inside, and the store is nobody else's" {
	for mask in 077 000; do
		equal "$(umask $mask; SBX_ROOT=$PWD/m$mask sbx run --rm "$box" sh -c 'umask; >/tmp/f; stat -c %a /tmp /tmp/f /etc')" \
			$'0022\n1777\n644\n755'
		equal "$(umask $mask; SBX_ROOT=$PWD/m$mask sbx run --rm -v "$PWD:/a/b" -v named:/c/d "$box" stat -c %a /a /c /c/d)" \
			$'755\n755\n755'
		equal "$(stat -c %a "m$mask")" 700
		sbx run -d --name "$c-$mask" "$box" sleep 100000 >/dev/null
		equal "$(umask $mask; sbx exec "$c-$mask" sh -c umask)" 0022
		sbx rm -f "$c-$mask" >/dev/null
	done
}

@test "64 descriptors are enough, and fewer than are needed are said" {
	export SBX_RUNTIME=$PWD/r
	equal "$(ulimit -n 64; sbx run --rm "$box" sh -c 'ulimit -n')" 64
	for few in 30 18 10; do
		run -125 --separate-stderr bash -c "ulimit -n $few; exec \"\$0\" run --rm \"\$1\" true" "$SBX" "$box"
		sentence "ulimit -n"
	done
	# later commands are not bound by the low limit of the first, which started the server
	equal "$(sbx run --rm "$box" echo works)" works
	for few in 18 10; do
		run -125 --separate-stderr bash -c "ulimit -n $few; exec \"\$0\" run --rm \"\$1\" true" "$SBX" "$box"
		sentence "Too many open files (ulimit -n)"
	done
	end_server
	equal "$(sbx ps -aq)" ""
}

@test "closed standard streams" {
	equal "$(sbx run --rm "$box" echo works <&-)" works
	equal "$(sbx run --rm -i "$box" cat <&-)" ""
	run -3 sbx run --rm "$box" sh -c 'echo x; exit 3' >&-
	equal "$(sbx run --rm "$box" echo works 2>&-)" works
	run -3 bash -c '"$0" run --rm "$1" sh -c "echo x; exit 3" <&- >&- 2>&-' "$SBX" "$box"
	"$SBX" run -d --name "$c" "$box" sleep 100000 <&- >&- 2>&-
	equal "$(sbx exec "$c" sh -c 'ls /proc/self/fd' <&- | tr '\n' ' ')" "0 1 2 3 "
	sbx rm -f "$c"
	run -1 --separate-stderr bash -c 'exec "$0" ps >/dev/full' "$SBX"
}

@test "limits of the caller's that leave no room: a sentence, and nothing is there" {
	export SBX_RUNTIME=$PWD/r
	# the output goes through a pipe, since the test's own files may not grow, either
	for size in 0 1000 10000; do
		run -1 --separate-stderr bash -c 'prlimit --fsize="$0" "$@" 2>&1 | cat >&2; exit "${PIPESTATUS[0]}"' \
			$size "$SBX" volume create "v$c" --label "l=$(printf '%.0sx' {1..20000})"
		sentence "File too large"
		equal "$(sbx volume ls -q)" ""
		run -125 --separate-stderr bash -c 'prlimit --fsize="$0" "$@" 2>&1 | cat >&2; exit "${PIPESTATUS[0]}"' \
			$size "$SBX" run --rm --name "$c" "$box" true
		sentence
		[[ $stderr == *"File too large"* || $stderr == *"ulimit -f"* ]]
		missing "$c"
	done
	run -125 --separate-stderr prlimit --stack=65536 "$SBX" run --rm "$box" true
	sentence "a stack of 64 KiB (ulimit -s) is too small"
	limits=(--fsize=100000:)
	if [ -z "${SBX_TEST_SANITIZED-}" ]; then # a sanitizer reserves address space
		run -125 --separate-stderr prlimit --as=20000000 "$SBX" run --rm "$box" true
		sentence "ulimit -v"
		limits+=(--as=30000000:)
	fi
	# a server that was started with a soft limit still works for others
	equal "$(prlimit "${limits[@]}" "$SBX" run --rm "$box" echo works)" works
	[ -n "$(server_pid)" ]
	equal "$(sbx run --rm "$py" python3 -c 'import json; print("works")')" works
	# a sanitizer checks for leaks in a process of its own
	if [ "$(id -u)" -ne 0 ] && [ -z "${SBX_TEST_SANITIZED-}" ]; then
		run -125 --separate-stderr prlimit --nproc=0 "$SBX" run --rm "$box" true
		sentence "Resource temporarily unavailable (too many processes" "ulimit -u"
	fi
	end_server
	equal "$(sbx ps -aq)" ""
	sbx run --rm "$box" true
	# the command inside dies of the limit, as it would anywhere
	run -153 prlimit --fsize=100000 "$SBX" run --rm "$box" sh -c 'dd if=/dev/zero of=/f bs=1000 count=1000 2>/dev/null; exit $?'
}

@test "settings that nobody knows are refused, and those there are named" {
	for case in "FUSE=maybe:on or off" "OVERLAY=none:on or off" "IDS=two:auto, one or range" \
		"LAYERS_IDLE=soon:a number" "SYSTEMD_MS=1s:a number" "NETWORK=nosuch:none or host"; do
		run -125 --separate-stderr env "SBX_${case%%:*}" "$SBX" run --rm "$box" true
		sentence "${case#*:}"
	done
	export XDG_CONFIG_HOME=$PWD/config
	mkdir -p config/sbx
	for case in "fuse = maybe:on or off" "ids = two:auto, one or range" "overlays = off:unknown setting" \
		"network = nosuch:none or host" "root = ~/sbx:an absolute path" "ids:name = value"; do
		printf '# mine\n\n%s\n' "${case%%:*}" >config/sbx/config
		run -125 --separate-stderr sbx run --rm "$box" true
		sentence "${case#*:}"
		[ "${case%% *}" = network ] || sentence "$PWD/config/sbx/config:3: "
	done
	[ ! -e "~" ]
	rm config/sbx/config
	mkdir config/sbx/config
	run ! --separate-stderr sbx ps
	contains "$stderr" "read $PWD/config/sbx/config: Is a directory"
	rmdir config/sbx/config
	echo 'network = host' >config/sbx/config
	chmod 0 config/sbx/config
	run ! --separate-stderr sbx ps
	contains "$stderr" "read $PWD/config/sbx/config: Permission denied"
	chmod 0 config/sbx
	run -0 sbx ps -q # a directory that cannot be searched counts as empty
	chmod 700 config/sbx
}

@test "a umask that closes files to their owner closes none of ours, and what is made for the caller has it" {
	export HOME=$PWD/home SBX_RUNTIME=$PWD/run SBX_ROOT=$PWD/store
	mkdir home
	umask 0777
	sbx import "$box" "$c" >/dev/null
	equal "$(sbx run --rm --cidfile cid "$c" sh -c 'umask; stat -c %a /etc/hosts')" "0022
644"
	equal "$(stat -c %a cid)" 0
	sbx run -d --name "$c" -v "$c:/x" "$c" sleep 1000 >/dev/null
	equal "$(sbx exec "$c" sh -c 'umask; echo a >/x/a')" 0022
	sbx restart -t 0 "$c" >/dev/null
	equal "$(sbx exec "$c" cat /x/a)" a
	sbx commit "$c" "$c-i" >/dev/null
	sbx save -o tar "$c-i"
	sbx load -q -i tar >/dev/null
	equal "$(sbx network ls -q | wc -l)" 3
	equal "$(sbx serve sh -c umask)" 0777
	sbx rm -fv "$c" >/dev/null
	equal "$(find store run ! -perm -u=r)" ""
	sbx volume rm "$c" >/dev/null
	umask 002
	sbx run --rm --cidfile other "$c" true
	equal "$(stat -c %a other)" 664
}

# As where sbx alone, which is static, was copied to another distribution.
@test "sbx-archive without its libraries: its path is named" {
	cp "$SBX" sbx
	printf '#!/nonexistent/ld.so\n' >sbx-archive
	chmod +x sbx-archive
	run -1 --separate-stderr ./sbx import - <<<x
	sentence "$PWD/sbx-archive cannot be started" ldd
}

@test "a locale that does not exist" {
	equal "$(LC_ALL=xx_YY.nothing LANG=tr_TR.UTF-8 sbx run --rm "$box" echo works)" works
}

@test "a user without an entry in /etc/passwd, and an /etc that is empty" {
	export -f sbx lived equal running
	export c box SBX
	run -0 unshare -U --map-user=12345 --map-group=12345 bash -ec 'SBX_RUNTIME=$PWD/r1; export SBX_RUNTIME; id -u; lived'
	equal "$output" 12345
	run -0 unshare -Urm bash -ec 'mount -t tmpfs none /etc; SBX_RUNTIME=$PWD/r2; export SBX_RUNTIME; lived; ls /etc'
	equal "$output" ""
	for SBX_RUNTIME in "$PWD/r1" "$PWD/r2"; do
		end_server
	done
}

# As those that name what a machine shall not reach.
@test "an /etc/hosts of some megabytes is whole with --network host" {
	seq -f '0.0.0.0 ads%.0f.example' 150000 >hosts
	run -0 unshare -Urm bash -ec 'mount --bind hosts /etc/hosts
		SBX_RUNTIME=$PWD/r exec "$0" run --rm --network host "$1" cat /etc/hosts >seen' "$SBX" "$box"
	cmp hosts seen
	SBX_RUNTIME=$PWD/r
	end_server
}

@test "a /proc that hides others' processes, and one that shows nothing but processes" {
	for options in hidepid=2 subset=pid; do
		run -0 unshare -Urmpf --kill-child bash -c '
			mount -t proc -o "$3" proc /proc || exit
			export SBX_ROOT=$PWD/$3/d SBX_RUNTIME=$PWD/$3/r
			"$1" run -d --name web "$2" sleep 100000 >/dev/null && "$1" run --rm "$2" echo works
			"$1" exec web echo joined
			"$1" inspect -f "{{.State.Status}}" web
			"$1" rm -f web' - "$SBX" "$box" "$options"
		equal "$output" $'works\njoined\nrunning\nweb'
		chmod -R u+rwX "$options" # the remover may have been killed with the pid namespace
	done
}

@test "a /proc that is missing, another namespace's, or read-only is named" {
	unsanitized "says so itself when it finds no /proc"
	odd() {
		export SBX_ROOT=$PWD/$1/d SBX_RUNTIME=$PWD/$1/r
		shift
		run -125 --separate-stderr "$@" run --rm "$box" true
	}
	odd none unshare -Urm sh -c 'mount -t tmpfs none /proc && exec "$@"' - "$SBX"
	sentence "there is no /proc here"
	odd other unshare -Urpf --kill-child "$SBX"
	sentence "/proc is that of another pid namespace" --mount-proc
	odd readonly unshare -Urm sh -c 'mount --rbind /proc /proc && mount -o remount,bind,ro /proc && exec "$@"' - "$SBX"
	sentence "/proc is read-only"
}

@test "a container that was started outside of the user namespace: it is said" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for words in "exec $c true" "cp $c:/etc/passwd -" "top $c"; do
		run -1 --separate-stderr unshare -Ur "$SBX" $words
		sentence "is not the one in which the container was started"
	done
	equal "$(unshare -Ur "$SBX" ps --format '{{.Names}}')" "$c"
	sbx rm -f "$c" >/dev/null
	end_server
}

@test "a user namespace without ids" {
	run -125 --separate-stderr unshare -U "$SBX" run --rm "$box" true
	sentence "has no ids"
}

# As in bwrap --unshare-user --uid 0, which leaves root no capabilities.
@test "root that may not be mapped: the capability is named, and is enough" {
	run -125 --separate-stderr unshare -Ur setpriv --bounding-set=-setfcap "$SBX" run --rm "$box" true
	sentence CAP_SETFCAP
	run -0 unshare -Ur setpriv --bounding-set=-all,+setfcap "$SBX" run --rm "$box" echo works
	equal "$output" works
}

@test "in a container that hides parts of its /proc: --privileged is named, and works" {
	needs_static
	cp "$SBX" "$box" .
	sbx="$PWD/$(basename "$SBX")" sqsh="$PWD/$(basename "$box")"
	run -125 --separate-stderr sbx run --rm -v "$sbx:/sbx" -v "$sqsh:/box.sqsh" "$box" /sbx run --rm /box.sqsh true
	sentence "user namespace" seccomp
	run -125 --separate-stderr sbx run --rm --security-opt seccomp=unconfined -v "$sbx:/sbx" -v "$sqsh:/box.sqsh" "$box" \
		/sbx run --rm /box.sqsh true
	sentence "/proc" --privileged systempaths=unconfined
	run -1 sbx run --rm --security-opt seccomp=unconfined -v "$sbx:/sbx" "$box" /sbx doctor
	contains "$output" "a new /proc is refused"
	for power in --privileged "--security-opt seccomp=unconfined --security-opt systempaths=unconfined"; do
		# shellcheck disable=SC2086
		equal "$(sbx run --rm $power -v "$sbx:/sbx" -v "$sqsh:/box.sqsh" "$box" /sbx run --rm /box.sqsh echo deep)" deep
	done
}

# --- what forbids --------------------------------------------------------------------------------

# refused CALL FLAG RESULT COMMAND...: runs a command for which this system call, if it has this bit in its first argument
# (memfd_create: in its second), does nothing and returns RESULT
refused() {
	python3 - "$@" <<-'END'
		import ctypes, os, platform, struct, sys
		x86, arm, at = {"unshare": (272, 97, 16), "memfd_create": (319, 279, 24),
		                "pidfd_open": (434, 434, 16), "pidfd_send_signal": (424, 424, 16)}[sys.argv[1]]
		nr = {"x86_64": x86, "aarch64": arm}[platform.machine()]
		flag, errno = int(sys.argv[2], 0), int(sys.argv[3])
		code = [(0x20, 0, 0, 0), (0x15, 0, 3, nr), (0x20, 0, 0, at), (0x45, 0, 1, flag),
		        (0x06, 0, 0, 0x50000 | errno), (0x06, 0, 0, 0x7fff0000)]
		rows = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
		libc = ctypes.CDLL(None, use_errno=True)
		assert libc.prctl(38, 1, 0, 0, 0) == 0
		program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(rows))
		assert libc.prctl(22, 2, program, 0, 0) == 0, ctypes.get_errno()
		os.execv(sys.argv[4], sys.argv[4:])
	END
}

# As filters have it that are older than a system call.
@test "where a filter refuses to look at a process or to signal it: a sentence, and nothing waits for ever" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for words in "exec $c true" "cp $c:/etc/passwd -" "stop $c" "kill $c" "rm -f $c"; do
		run -1 --separate-stderr refused pidfd_open 0xffffffff 38 /usr/bin/timeout -k 1 60 "$SBX" $words
		contains "$stderr" "Function not implemented"
		running "$c"
	done
	for words in "stop $c" "kill $c" "rm -f $c"; do
		run -1 --separate-stderr refused pidfd_send_signal 0xffffffff 1 /usr/bin/timeout -k 1 60 "$SBX" $words
		contains "$stderr" "Operation not permitted"
		running "$c"
	done
	sbx rm -f "$c" >/dev/null
	end_server
}

# powerless FLAG RESULT ARGS...: runs sbx as if AppArmor's sysctl were on and unshare(FLAG) returned RESULT
powerless() {
	local flag=$1 result=$2
	shift 2
	export -f refused
	unshare -Urm bash -c 'mount -t tmpfs none /proc/sys/kernel &&
		echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_userns && refused unshare "$@"' - \
		"$flag" "$result" "$SBX" "$@"
}

@test "AppArmor takes the powers of user namespaces: the setting is named, and how root gives them back" {
	export SBX SBX_RUNTIME=$PWD/r
	# a namespace without capabilities may not write its map; or, if newuidmap wrote it, it may not mount
	for case in "0x10000000 0" "0x10000000 13" "0x20000 1"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr powerless $case run --rm --name "$c" "$box" true
		sentence AppArmor "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
		missing "$c"
		# shellcheck disable=SC2086
		run -1 powerless $case doctor
		contains "$output" "BAD   user namespaces"
		contains "$output" kernel.apparmor_restrict_unprivileged_userns=0
	done
}

@test "where vm.memfd_noexec is 2, an sbx of the user's own says so, and what helps" {
	cp "$SBX" own-sbx
	run -125 refused memfd_create 0x10 13 "$PWD/own-sbx" run --rm --name "$c" "$box" true
	contains "$output" "sysctl -w vm.memfd_noexec=1"
	missing "$c"
	run -125 refused memfd_create 0x10 13 "$SBX" run --rm --name "$c" --ids one -u 1234 "$box" true
	contains "$output" "sysctl -w vm.memfd_noexec=1"
	missing "$c"
	run -1 refused memfd_create 0x10 13 "$PWD/own-sbx" doctor
	contains "$output" "BAD   program"
	contains "$output" "sysctl -w vm.memfd_noexec=1"
}
