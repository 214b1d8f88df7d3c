load lib

setup_file() {
	own_store
	mkdir "$BATS_FILE_TMPDIR/bin"
	ln -s "$SBX" "$BATS_FILE_TMPDIR/bin/enroot"
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset "${!ENROOT_@}"
	export PATH=$BATS_FILE_TMPDIR/bin:$PATH HOME=$PWD/home XDG_RUNTIME_DIR=$PWD/run
	export ENROOT_DATA_PATH=$PWD/data ENROOT_CACHE_PATH=$PWD/cache ENROOT_SYSCONF_PATH=$PWD/etc
	unset XDG_DATA_HOME XDG_CACHE_HOME XDG_CONFIG_HOME
	mkdir -p home etc
	image=$PWD/box.sqsh
	cp "$box" "$image"
}

teardown_file() {
	nothing_left
	eventually no_work_left # the keeper removes overlayfs's work directories, which bats cannot
}

no_work_left() {
	[ -z "$(find "$BATS_RUN_TMPDIR" -name 'work-*-*-*' -prune -print 2>/dev/null)" ]
}

stopped() {
	[[ $(cat "/proc/$1/stat" 2>/dev/null) == *") T "* ]]
}

# --- grammar

# The descriptors that a start has open, seen by names that image, caller and container choose.
@test "no name leads out of the container through what a start has open" {
	cp "$(command -v busybox)" echo
	mkdir -p t/bin t/h t/.sbx
	cp echo t/bin/busybox
	ln -s busybox t/bin/sh
	for fd in {3..40}; do
		ln -s "/proc/self/fd/$fd/../../../../../../../../..$PWD" "t/h/$fd"
	done
	for fd in 3 4 5 6 7 8; do
		echo "{\"config\": {\"WorkingDir\": \"/h/$fd\"}}" >t/.sbx/config.json
		mksquashfs t evil.sqsh -all-root -noappend -quiet -no-progress >/dev/null
		equal "$(enroot start -e HOME=/ evil.sqsh busybox pwd)" /
	done
	enroot create -n evil evil.sqsh
	enroot start evil sh -c 'echo up; exec busybox sleep 100000' >up &
	background+=($!)
	eventually grep up up
	pid=$(enroot list -f | awk '$1 == "evil" { print $2 }')
	for fd in {3..40}; do
		equal "$(enroot start -e "HOME=/h/$fd" evil busybox pwd)" /
		run ! enroot start evil "/h/$fd/echo" leaked
		lacks "$output" leaked
		run ! enroot exec "$pid" "/h/$fd/echo" leaked
		lacks "$output" leaked
	done
}

@test "no command and an unknown one are the usage and 1, help is 0" {
	run -1 --separate-stderr enroot
	contains "$output" "Usage: enroot COMMAND"
	run -1 --separate-stderr enroot nonsense
	contains "$output" "Usage: enroot COMMAND"
	equal "$stderr" ""
	run -0 enroot help
	run -0 enroot start --help
	contains "$output" "Usage: enroot start [options]"
	run -0 enroot start -h
}

@test "what is wrong in a command line is its usage on standard output and 1" {
	for words in "create" "create a b" "start" "start --nonsense x" "start -rw x" "create -nNAME $image" "remove" \
		"exec 1" "info x" "list --force" "create -n" "export" "list --fancy=y"; do
		run -1 --separate-stderr enroot $words
		contains "$output" "Usage: enroot ${words%% *}"
		equal "$stderr" ""
	done
	run -1 --separate-stderr enroot create -n "" "$image"
	contains "$output" "Usage: enroot create"
}

@test "--opt VALUE, --opt=VALUE and -o VALUE; -- ends options" {
	enroot create --name a "$image"
	enroot create --name=b "$image"
	enroot create -n c -- "$image"
	equal "$(enroot list)" $'a\nb\nc'
}

@test "version is one line, info tells the settings" {
	run -0 --separate-stderr enroot version more words
	[[ $output =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	run -0 --separate-stderr enroot info
	[[ ${lines[0]} == "Enroot version: "* ]]
	equal "${lines[1]}" "Config file: $PWD/etc/enroot.conf"
	contains "$output" $'\n\nEnvironment variables:\n'
	contains "$output" "  ENROOT_DATA_PATH=$PWD/data"
}

@test "an empty setting is its default, or what the files say" {
	printf '%s\n' 'ENROOT_TEMP_PATH /told' 'ENROOT_CONFIG_PATH ""' >etc/enroot.conf
	ENROOT_TEMP_PATH='' ENROOT_CACHE_PATH='' ENROOT_RUNTIME_PATH='' run -0 enroot info
	contains "$output" "ENROOT_TEMP_PATH=/told"
	contains "$output" "ENROOT_CACHE_PATH=$HOME/.cache/enroot"
	contains "$output" "ENROOT_RUNTIME_PATH=$XDG_RUNTIME_DIR/enroot"
	contains "$output" "ENROOT_CONFIG_PATH=$HOME/.config/enroot"
}

@test "with any umask what is made can be used" {
	local mask
	unset ENROOT_DATA_PATH ENROOT_CACHE_PATH
	for mask in 0777 0700 0277 0077; do
		mkdir "$PWD/home/$mask"
		(
			export HOME=$PWD/home/$mask XDG_RUNTIME_DIR=$PWD/home/$mask
			umask "$mask"
			enroot create -n a "$image"
			enroot start --rw a sh -c 'echo kept >/file'
			equal "$(enroot start a cat /file)" kept
			enroot export -o "$HOME/out.sqsh" a
			equal "$(enroot start "$HOME/out.sqsh" cat /file)" kept
			enroot remove -f a
			equal "$(stat -c %a "$HOME"/.cache "$HOME"/.cache/enroot "$HOME"/.local/share/enroot | uniq)" 700
		)
	done
}

@test "without HOME the home directory is the one of the user's entry" {
	local home
	home=$(getent passwd "$(id -u)" | cut -d: -f6)
	run -0 env -u HOME enroot info
	contains "$output" "ENROOT_CONFIG_PATH=$home/.config/enroot"
}

@test "ENROOT_SYSCONF_PATH may be relative" {
	enroot create -n a "$image"
	mkdir etc/{environ.d,mounts.d,hooks.d}
	echo 'A=relative' >etc/environ.d/10-a.env
	printf '/proc /proc none x-create=dir,rbind\n/dev /dev none x-create=dir,rbind 0 -1\ntmpfs /made tmpfs x-create=dir\n' \
		>etc/mounts.d/10-system.fstab
	printf '#!/bin/sh\necho B=hook >>"$ENROOT_ENVIRON"\n' >etc/hooks.d/10-a.sh
	chmod +x etc/hooks.d/10-a.sh
	run -0 env ENROOT_SYSCONF_PATH=etc enroot start a sh -c 'echo $A $B; ls -d /made; grep " /tmp " /proc/mounts; true'
	equal "$output" $'relative hook\n/made'
}

@test "a configuration file sets what the environment does not" {
	unset ENROOT_DATA_PATH
	mkdir etc/enroot.conf.d
	printf '%s\n' '# words' 'ENROOT_DATA_PATH ${HOME}/conf-data' 'ENROOT_CACHE_PATH /nowhere' 'PATH /bad' >etc/enroot.conf
	echo "ENROOT_TEMP_PATH='$PWD'/t-\$(id -u)-\$(echo x)" >etc/enroot.conf.d/a.conf
	run -0 enroot info
	contains "$output" "ENROOT_DATA_PATH=$PWD/home/conf-data"
	contains "$output" "ENROOT_CACHE_PATH=$PWD/cache"
	contains "$output" "ENROOT_TEMP_PATH=$PWD/t-$(id -u)-x"
	lacks "$output" /bad
}

# --- containers

@test "create, list, start, remove: names and errors" {
	run -0 --separate-stderr enroot list
	equal "$output$stderr" ""
	run -0 --separate-stderr enroot create box.sqsh
	equal "$output" ""
	equal "$(enroot list)" box
	run -1 --separate-stderr enroot create "$image"
	equal "$output" ""
	equal "$stderr" "[ERROR] File already exists: $PWD/data/box"
	enroot create -f "$image"
	run -1 --separate-stderr enroot create -n x/y "$image"
	equal "$stderr" "[ERROR] Invalid argument: x/y"
	run -1 --separate-stderr enroot create no.sqsh
	equal "$stderr" "[ERROR] No such file or directory: $PWD/no.sqsh"
	echo x >text
	run -1 --separate-stderr enroot create text
	equal "$stderr" "[ERROR] Invalid image format: $PWD/text"
	run -1 --separate-stderr enroot start nobody
	equal "$stderr" "[ERROR] No such file or directory: $PWD/data/nobody"
	enroot remove -f box
	equal "$(enroot list)" ""
	run -1 --separate-stderr enroot remove -f box
	equal "$stderr" "[ERROR] No such file or directory: $PWD/data/box"
}

@test "remove asks: only y deletes, the end of the input is an error" {
	enroot create -n a "$image"
	run -0 python3 "$BATS_TEST_DIRNAME/terminal.py" "expect:delete $PWD/data/a? [y/N]" 'send:n\n' -- enroot remove a
	run -0 --separate-stderr enroot remove a <<<n
	equal "$output$stderr" ""
	run -0 enroot remove a <<<""
	run -1 enroot remove a </dev/null
	equal "$(enroot list)" a
	run -0 enroot remove a <<<y
	equal "$(enroot list)" ""
}

@test "a container outlives the name of its image file" {
	enroot create -n a "$image"
	rm "$image"
	equal "$(enroot start a echo here)" here
}

@test "half an image makes no container" {
	head -c 5000 "$image" >half.sqsh
	run -1 --separate-stderr enroot create half.sqsh
	[[ $stderr == "[ERROR] Invalid image format: $PWD/half.sqsh: truncated: 5000 bytes of "* ]]
	equal "$(enroot list)" ""
	head -c 40 "$image" >short.sqsh
	run -1 --separate-stderr enroot create short.sqsh
	[[ $stderr == "[ERROR] "*"short.sqsh"* ]]
}

@test "an image that was written to since is told, not run" {
	enroot create -n a "$image"
	printf x >>"$image"
	run -1 --separate-stderr enroot start a true
	contains "$stderr" "[ERROR] $image was written to since a was created of it"
}

# listed NAME PID: `list -f` shows the container with this process
listed() {
	[ "$(enroot list -f | awk -v name="$1" '$1 == name { print $2 }')" = "$2" ]
}

@test "a root directory as enroot makes it starts as well" {
	mkdir -p data/dir/bin
	cp "$(command -v busybox)" data/dir/bin/busybox
	ln -s busybox data/dir/bin/sh
	equal "$(enroot start dir /bin/busybox echo yes)" yes
	enroot start --rw dir /bin/busybox touch /made
	[ -e data/dir/made ]
	nap=$(a_nap)
	enroot start dir /bin/busybox sleep "$nap" &
	background+=($!)
	eventually pgrep -fx "/bin/busybox sleep $nap"
	eventually listed dir "$!"
	enroot remove -f dir
	[ ! -e data/dir ]
}

# --- start

@test "the status is the command's, 127 and 126 for what cannot run, and its signal" {
	enroot create -n a "$image"
	run -3 enroot start a sh -c 'exit 3'
	run -127 enroot start a nosuch
	contains "$output" nosuch
	run -126 enroot start a /etc
	python3 - <<-'PY'
		import subprocess
		assert subprocess.call(["enroot", "start", "a", "sh", "-c", "kill -9 $$"]) == -9
		assert subprocess.call(["enroot", "start", "a", "sh", "-c", "kill -TERM $$"]) == -15
	PY
}

@test "the only user is the caller, or root with --root" {
	enroot create -n a "$image"
	equal "$(enroot start a sh -c 'id -u; id -g')" "$(id -u; id -g)"
	equal "$(enroot start --root a sh -c 'id -u; id -g')" $'0\n0'
	equal "$(ENROOT_REMAP_ROOT=0 enroot start a id -u)" 0
	equal "$(ENROOT_REMAP_ROOT=no enroot start a id -u)" "$(id -u)"
	equal "$(enroot start a sh -c 'wc -l </proc/self/uid_map')" 1
	[ "$(id -u)" = 0 ] || equal "$(enroot start a whoami)" "$(id -un)"
}

@test "the root is read-only, writable with --rw and then kept, with an image lost" {
	enroot create -n a "$image"
	run ! enroot start a touch /new
	enroot start --rw a touch /new
	enroot start a test -e /new
	enroot start --rw a sh -c 'rm -r /root; mkdir /root /dir; touch /root/f /dir/f'
	equal "$(enroot start a ls /root /dir | grep -c f)" 2
	enroot start --root --rw a rm -r /dir /new
	run ! enroot start a test -e /new
	ENROOT_ROOTFS_WRITABLE=y enroot start "$image" touch /new
	run ! enroot start "$image" test -e /new
	run ! enroot start "$image" touch /new
}

@test "two starts of one container with --rw see one another's files" {
	enroot create -n a "$image"
	mkfifo go
	exec {go}<>go
	enroot start --rw -m "$PWD:/host" a sh -c '
		touch /first && test ! -e /second && test ! -e /dir
		echo ready >/host/ready
		read x </host/go && mkdir -p /dir && test -e /second && rm /second' &
	background+=($!)
	eventually test -s ready
	enroot start --rw a sh -c 'test -e /first && touch /second && mkdir /dir'
	echo x >&"$go"
	wait $!
	enroot start a sh -c 'test -e /first && test ! -e /second && test -d /dir'
	enroot remove -f a
}

@test "a directory that a process in a container made its root is not the root of those who write there later" {
	enroot create -n a "$image"
	cat >inside <<-'EOF'
		mkdir -p /sub/old /sub/host && cp /bin/busybox /sub && mount --bind /sub /sub && mount --bind /host /sub/host &&
			cd /sub && pivot_root . old && exec /busybox sh -c 'echo x >/host/ready; read x </host/go'
	EOF
	mkfifo go
	exec {go}<>go
	enroot start --rw -m "$PWD:/host" a unshare -U -r -m sh /host/inside 3>&- &
	background=($!)
	eventually test -s ready
	equal "$(enroot start --rw a sh -c 'test ! -e /busybox && test -e /sub/busybox && echo whole')" whole
	echo x >&"$go"
	wait "${background[@]}"
	enroot remove -f a
}

@test "who writes to a container does not see the one of that name which create -f put aside" {
	enroot create -n a "$image"
	mkfifo go1 go2
	exec {one}<>go1 {two}<>go2
	for i in 1 2; do
		enroot start --rw -m "$PWD:/host" a sh -c "touch /from$i; echo x >/host/ready$i; read x </host/go$i" 3>&- &
		background+=($!)
		eventually test -s "ready$i"
		[ "$i" = 2 ] || enroot create -f -n a "$image"
	done
	equal "$(enroot start --rw a sh -c 'cd / && echo from*')" from2
	echo x >&"$one"
	echo x >&"$two"
	wait "${background[@]}"
	enroot remove -f a
}

@test "of many first starts with --rw at once all have their mount points and users" {
	for _ in 1 2 3; do
		enroot create -f -n a "$image"
		clients=()
		for i in 1 2 3 4 5 6 7 8; do
			enroot start --rw -m "$PWD/home:/made/by/all" a sh -c 'id -un && ls -d /made/by/all' >"out$i" 2>&1 3>&- &
			clients+=($!)
		done
		wait "${clients[@]}"
		equal "$(cat out? | sort | uniq -c | tr -s ' ')" " 8 /made/by/all
 8 $(id -un)"
	done
}

@test "the machine is seen: its processes, network, devices, names; own tmp" {
	enroot create -n a "$image"
	equal "$(enroot start a readlink /proc/self/ns/net)" "$(readlink /proc/self/ns/net)"
	equal "$(enroot start a readlink /proc/self/ns/pid)" "$(readlink /proc/self/ns/pid)"
	equal "$(enroot start a cat /etc/hosts)" "$(cat /etc/hosts)"
	enroot start a sh -c 'test -c /dev/null && test -d /sys/kernel && echo x >/tmp/f && test -d /dev/shm'
	run ! enroot start a sh -c 'echo x >/etc/hosts'
	for ns in net ipc uts; do
		[ "$(enroot start --$ns a readlink /proc/self/ns/$ns)" != "$(readlink /proc/self/ns/$ns)" ]
	done
	[ "$(ENROOT_UNSHARE_NET=y enroot start a ls /sys/class/net 2>/dev/null | wc -l)" -ge 1 ]
}

@test "--net shows its own devices in /sys, --ipc its own memory in /dev/shm" {
	enroot create -n a "$image"
	equal "$(enroot start --net a ls /sys/class/net)" lo
	run -0 enroot start --ipc a sh -c 'ls /dev; echo x >/dev/shm/of-its-own; ls /dev/shm'
	contains "$output" $'\nof-its-own'
	lacks "$output" kmsg
	[ ! -e /dev/shm/of-its-own ]
}

@test "an image that was not made for enroot: its entrypoint, command and working directory" {
	mkdir -p cfg/bin cfg/.sbx cfg/srv
	cp "$(command -v busybox)" cfg/bin/busybox
	ln -s busybox cfg/bin/sh
	ln -s busybox cfg/bin/echo
	echo '{"config":{"Entrypoint":["/bin/echo","entry"],"Cmd":["default"],"WorkingDir":"/srv","Env":["PATH=/bin"]}}' >cfg/.sbx/config.json
	mksquashfs cfg cfg.sqsh -quiet -no-progress >/dev/null 2>&1
	equal "$(enroot start cfg.sqsh)" "entry default"
	equal "$(enroot start cfg.sqsh a 'b c')" "entry a b c"
	echo 'pwd' >own
	equal "$(enroot start --rc own cfg.sqsh)" "$(enroot start --rc own "$image")"
	echo '{"Cmd":["/bin/sh","-c","pwd"],"WorkingDir":"/srv"}' >cfg/.sbx/config.json
	mksquashfs cfg cmd.sqsh -quiet -no-progress >/dev/null 2>&1
	equal "$(enroot start cmd.sqsh)" /srv
	equal "$(enroot start cmd.sqsh sh -c 'echo $0; pwd' x)" $'x\n/srv'
}

@test "ENROOT_RESTRICT_DEV leaves a few devices, ENROOT_MOUNT_HOME brings the home directory" {
	enroot create -n a "$image"
	ENROOT_RESTRICT_DEV=y run -0 enroot start a sh -c 'ls /dev; echo x >/dev/null; echo y >/dev/stderr'
	contains "$output" $'fd\nfull'
	contains "$output" $'pts\nrandom'
	contains "$output" urandom
	lacks "$output" fuse
	lacks "$output" kmsg
	echo mine >home/file
	ENROOT_MOUNT_HOME=y run -0 enroot start a sh -c 'pwd; cat file'
	equal "$output" "$HOME"$'\nmine'
}

@test "ENROOT_MOUNT_HOME: a home directory of any name" {
	local name
	enroot create -n a "$image"
	for name in 'a:b' 'a b' 'a#b' 'a\b' $'a\tb'; do
		mkdir "home/$name"
		echo "$name" >"home/$name/file"
		HOME=$PWD/home/$name ENROOT_MOUNT_HOME=y run -0 enroot start a sh -c 'cat "$HOME/file"; pwd'
		equal "$output" "$name"$'\n'"$PWD/home/$name"
		HOME=$PWD/home/$name ENROOT_MOUNT_HOME=y run -0 enroot start --root a sh -c 'cat /root/file'
		equal "$output" "$name"
	done
}

@test "with the machine's own 10-system.fstab --pid and --net show what is theirs, too" {
	mkdir etc/mounts.d
	printf '/%s /%s none x-create=dir,rbind 0 -1\n' proc proc sys sys dev dev >etc/mounts.d/10-system.fstab
	equal "$(enroot start --pid "$image" sh -c 'read -r pid rest </proc/self/stat; echo $pid')" 1
	equal "$(enroot start --net "$image" ls /sys/class/net)" lo
}

@test "create -f puts the new one in the place of the old one, or leaves that" {
	enroot create -n a "$image"
	enroot start --rw a sh -c 'echo kept >/new'
	head -c 5000 "$image" >half.sqsh
	for from in half.sqsh nothere.sqsh; do
		run -1 --separate-stderr enroot create -f -n a "$from"
		equal "$(enroot start a cat /new)" kept
	done
	run -1 enroot load -f -n a half.sqsh
	equal "$(enroot start a cat /new)" kept
	# nor does it vanish for a moment
	while [ ! -e over ]; do
		[ -d data/a/upper ] || echo none >>missed
	done 3>&- &
	background+=($!)
	for _ in {1..30}; do
		enroot create -f -n a "$image"
	done
	enroot load -f -n a "$image"
	: >over
	wait "${background[0]}"
	[ ! -e missed ]
	run -1 enroot start a cat /new
	equal "$(enroot start a echo works)" works
	equal "$(ls -A data data/.sbx-half)" $'data:\n.sbx-half\na\n\ndata/.sbx-half:'
}

@test "an image may have a line break in its name, and one that cannot be read is told of" {
	local odd=$'two\nlines\n.sqsh'
	mv box.sqsh "$odd"
	enroot create -n a "$odd"
	equal "$(enroot start a echo fine)" fine
	rm data/a/image.sqsh
	equal "$(enroot start a echo fine)" fine
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	chmod 000 "$odd"
	run -1 --separate-stderr enroot create -n b "$odd"
	equal "$stderr" "[ERROR] $PWD/$odd: Permission denied"
	run -1 --separate-stderr enroot import -o c.sqsh "$odd"
	equal "$stderr" "[ERROR] $odd: Permission denied"
}

@test "a container whose image is unknown cannot be started or exported" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	enroot create -n a "$image"
	chmod 000 data/a/.sbx-image
	run -1 --separate-stderr enroot export -o a.sqsh a
	equal "$stderr" "[ERROR] $PWD/data/a/.sbx-image: Permission denied"
	[ ! -e a.sqsh ]
	run -1 --separate-stderr enroot start a true
	equal "$stderr" "[ERROR] $PWD/data/a/.sbx-image: Permission denied"
	chmod 600 data/a/.sbx-image
	equal "$(enroot start a echo works)" works
}

@test "what killed commands left half made is not listed, nor in the way" {
	mkdir -p data/.sbx-half/a.new-4000001/upper
	enroot create -n a "$image"
	equal "$(enroot list)" a
	enroot remove -f a
	equal "$(enroot list; ls data)" ""
}

# As between machines or pods with one ENROOT_DATA_PATH.
elsewhere() {
	unshare -Urpf --kill-child --mount-proc "$@"
}

made() {
	compgen -G "$1" >/dev/null
}

@test "what is being made in another pid namespace, where numbers of processes say nothing, is not taken for left" {
	elsewhere true 2>/dev/null || skip "no package gives it: a pid namespace of one's own"
	mkdir -p tree/bin
	tar -cf tree.tar -C tree .
	mkfifo slow.tar
	elsewhere enroot load -f -n a slow.tar 3>&- &
	client=$!
	exec 4<>slow.tar
	eventually made 'data/.sbx-half/a.load-*'
	elsewhere enroot load -n a tree.tar
	cat tree.tar >&4
	exec 4>&-
	client_ends
	equal "$status" 0
	equal "$(enroot list; ls -A data/.sbx-half)" a
}

@test "a container that is written in another pid namespace goes on when one starts here" {
	elsewhere true 2>/dev/null || skip "no package gives it: a pid namespace of one's own"
	enroot create -n a "$image"
	mkfifo go
	elsewhere enroot start --rw -m "$PWD/go:/go:x-create=file,bind" a \
		sh -c 'read -r _ </go && rmdir /mnt && mkdir /d && echo written >/d/f' 3>&- &
	client=$!
	eventually made 'data/a/work-*'
	enroot start --rw a true
	echo >go
	client_ends
	equal "$status" 0
	equal "$(enroot start --rw a sh -c 'cat /d/f; ls -d /mnt')" written # and takes away what is left
}

@test "--pid: the command is number 1, status and signals are its" {
	enroot create -n a "$image"
	equal "$(enroot start --pid a sh -c 'echo $$')" 1
	run -5 enroot start --pid a sh -c 'exit 5'
	run -127 enroot start --pid a nosuch
	nap=$(a_nap)
	enroot start --pid a sleep "$nap" &
	client=$!
	eventually sleeps "$nap"
	kill -TERM "$client"
	client_ends
	equal "$status" 143
	sleeps "$nap" 0
}

@test "--pid: nothing outlives the one who started it" {
	enroot create -n a "$image"
	nap=$(a_nap)
	enroot start --pid a sh -c "sleep $nap & sleep $nap" &
	client=$!
	eventually sleeps "$nap" 2
	kill -9 "$client"
	client_ends
	eventually sleeps "$nap" 0
}

@test "the environment is the image's and what was asked for, not the caller's" {
	enroot create -n a "$image"
	FOO=host BAR=b run -0 enroot start -e BAR -e X=1=2 --env=Y= -e NOTSET a env
	contains "$output" BAR=b
	contains "$output" X=1=2
	contains "$output" $'Y=\n'
	lacks "$output" FOO=
	lacks "$output" ENROOT_
	contains "$output" NOTSET=
	contains "$output" PATH=
	run -1 --separate-stderr enroot start -e 1x=2 a true
	equal "$stderr" "[ERROR] Invalid argument: 1x=2"
	equal "$(enroot start -e PATH=/opt/x:/bin a sh -c 'echo $PATH')" /opt/x:/bin
}

@test "a caller whom only a directory service knows has his name and home inside" {
	as_stranger() {
		SBX_RUNTIME=$PWD/there unshare -U --map-user=4242 --map-group=4343 "$@"
	}
	as_stranger true 2>/dev/null || skip "no package gives it: user namespaces"
	printf '#!/bin/sh\ncase "$*" in "passwd 4242") echo "dora:x:4242:4343:Dora D:/people/dora:/bin/sh" ;;\n%s\nesac\n' \
		'"group 4343") echo "lab:x:4343:" ;; *) exit 2 ;;' >getent
	chmod +x getent
	as_stranger enroot create -n a "$image"
	equal "$(PATH=$PWD:$PATH as_stranger enroot start a sh -c 'id -un; id -gn; echo $HOME; pwd; grep dora /etc/passwd')" \
		"dora
lab
/people/dora
/people/dora
dora:x:4242:4343:Dora D:/people/dora:/bin/sh"
	printf '#!/bin/sh\nexit 2\n' >getent
	equal "$(PATH=$PWD:$PATH USER=someone as_stranger enroot start a id -un)" someone
	SBX_RUNTIME=$PWD/there end_server
}

@test "a caller whom the image knows with another home has the machine's" {
	enroot create -n a "$image"
	enroot start --root --rw a sh -c 'echo "$1:x:$2:$2::/elsewhere:/bin/sh" >>/etc/passwd; mkdir /elsewhere' sh "$(id -un)" "$(id -u)"
	run -0 enroot start --rw a sh -c 'echo "$HOME"; grep -c . /etc/passwd'
	equal "${lines[0]}" "$(getent passwd "$(id -u)" | cut -d: -f6)"
	equal "$(enroot start --rw a grep -c . /etc/passwd)" "${lines[1]}"
}

@test "environ.d, mounts.d and hooks.d, of the machine and of the user" {
	enroot create -n a "$image"
	mkdir -p etc/environ.d etc/mounts.d home/.config/enroot/{environ.d,hooks.d,mounts.d} dir
	echo file >dir/file
	printf 'A=system ${HOME}\nENROOT_NO=1\nB=1\n' >etc/environ.d/10-a.env
	echo "B='two words'" >home/.config/enroot/environ.d/20-b.env
	echo "$PWD/dir /one none bind,ro,x-create=dir" >etc/mounts.d/20-a.fstab
	echo "$PWD/dir/file /two" >home/.config/enroot/mounts.d/30-b.fstab
	printf '#!/bin/sh\necho hooked >$ENROOT_ROOTFS/hooked\necho C=hook >>$ENROOT_ENVIRON\n' >home/.config/enroot/hooks.d/50-c.sh
	chmod +x home/.config/enroot/hooks.d/50-c.sh
	run -0 enroot start a sh -c 'echo "$A-$B-$C-$ENROOT_NO"; cat /one/file /two /hooked; touch /one/x'\|\|true
	equal "${lines[0]}" "system $HOME-two words-hook-"
	equal "${lines[*]:1:3}" "file file hooked"
	[ ! -e dir/x ]
}

@test "a file of settings that is there and cannot be read is told, and nothing is started" {
	enroot create -n a "$image"
	mkdir -p etc/environ.d etc/mounts.d etc/enroot.conf.d home/.config/enroot/{environ.d,mounts.d}
	local file
	for file in etc/environ.d/10-a.env home/.config/enroot/environ.d/20-b.env etc/mounts.d/20-a.fstab \
		home/.config/enroot/mounts.d/30-b.fstab etc/enroot.conf.d/x.conf etc/enroot.conf; do
		echo >"$file"
		run -0 enroot start a true
		rm "$file"
		mkdir "$file"
		run ! enroot start a touch /ran
		contains "$output" "$PWD/$file: Is a directory"
		rmdir "$file"
	done
	run ! enroot start a test -e /ran
	echo >etc/enroot.conf
	chmod 0 etc/enroot.conf
	run ! enroot start a true
	contains "$output" "$PWD/etc/enroot.conf: Permission denied"
	rm -f etc/enroot.conf
	echo >rc
	chmod 0 rc
	run ! enroot start --rc rc a true
	contains "$output" "$PWD/rc: Permission denied"
}

@test "--mount: relative sources, options, what is missing" {
	enroot create -n a "$image"
	mkdir dir
	echo x >dir/f
	equal "$(enroot start -m dir:/made/deep a cat /made/deep/f)" x
	equal "$(enroot start -m "$PWD/dir/f:/made/f" a cat /made/f)" x
	run ! enroot start -m "$PWD/dir:/d:none:rbind,ro,x-create=dir" a touch /d/new
	enroot start -m "$PWD/dir:/d" a touch /d/new
	[ -e dir/new ]
	equal "$(enroot start -m tmpfs:/t:tmpfs:x-create=dir,mode=700 a stat -c %a /t)" 700
	run -1 --separate-stderr enroot start -m "$PWD/none:/d" a true
	equal "$stderr" "enroot-mount: failed to mount: $PWD/none at /d: No such file or directory"
	enroot start -m "$PWD/none:/d:none:rbind,x-create=dir,nofail" a true
	run -1 --separate-stderr enroot start -m "a b" a true
	equal "$stderr" "[ERROR] Invalid argument: a b"
}

@test "--mount: the last of opposites counts, and a target is made before its source is looked for" {
	mkdir dir
	enroot start -m "$PWD/dir:/d:none:bind,x-create=dir,ro,rw" "$image" touch /d/new
	[ -e dir/new ]
	mkdir -p etc/mounts.d
	printf '%s\n' 'tmpfs /t tmpfs x-create=dir' '${ENROOT_ROOTFS}/t/a /t/a none bind,x-create=dir,ro' \
		'${ENROOT_ROOTFS}/t/f /t/f none bind,x-create=file' >etc/mounts.d/a.fstab
	run -0 enroot start "$image" sh -c 'grep -o " /t/[af] r[ow]" /proc/self/mountinfo'
	equal "$output" $' /t/a ro\n /t/f rw'
}

@test "what is mounted of the machine has enroot's flags" {
	flags() { awk '$5 == "/proc" || $5 == "/sys" || $5 ~ "^/dev(/null|/shm)?$" { f[$5] = $6 } END { for (k in f) print k, f[k] }'; }
	run -0 enroot start "$image" cat /proc/self/mountinfo
	run -0 flags <<<"$output"
	[[ $output =~ /proc\ rw,nosuid,nodev,noexec, ]]
	[[ $output =~ /sys\ ro,nosuid,nodev,noexec, ]]
	[[ $output =~ /dev\ rw,nosuid,noexec, ]] || [[ $output =~ /dev\ rw,nosuid,nodev,noexec, ]]
	! mountpoint -q /dev/shm || [[ $output =~ /dev/shm\ rw,nosuid,nodev,noexec, ]]
	ENROOT_RESTRICT_DEV=y run -0 enroot start "$image" cat /proc/self/mountinfo
	run -0 flags <<<"$output"
	[[ $output =~ /dev/null\ rw,nosuid,(nodev,)?noexec, ]]
	[ ! -d /dev/shm ] || [[ $output =~ /dev/shm\ rw,nosuid,nodev,noexec, ]]
}

@test "a mount point leads nowhere out of the image" {
	mkdir -p tree/bin out
	cp "$(command -v busybox)" tree/bin/sh
	ln -s "$PWD/out" tree/link
	ln -s ../../../../../..$PWD/out tree/up
	mksquashfs tree bad.sqsh -quiet -no-progress >/dev/null 2>&1
	mkdir dir
	for point in /link /link/a /up /up/b; do
		run enroot start -m "dir:$point" bad.sqsh sh -c true
	done
	[ -z "$(ls out)" ]
}

# Makes an image with /etc/rc, as enroot makes it of an image's entrypoint.
rc_image() {
	mkdir -p rc/{bin,etc,work}
	cp "$(command -v busybox)" rc/bin/busybox
	for a in sh echo env pwd cat; do ln -s busybox "rc/bin/$a"; done
	printf 'PATH=/bin\nFROM=image\n' >rc/etc/environment
	printf 'mkdir -p "/work" 2> /dev/null\ncd "/work" && unset OLDPWD || exit 1\n\nif [ -s /etc/rc.local ]; then\n    . /etc/rc.local\nfi\n\nif [ $# -gt 0 ]; then\n    exec /bin/echo entry "$@"\nelse\n    exec /bin/echo entry default\nfi\n' >rc/etc/rc
	mksquashfs rc rc.sqsh -quiet -no-progress >/dev/null 2>&1
}

@test "/etc/environment and /etc/rc of the image; --rc instead, an empty one none" {
	rc_image
	enroot create rc.sqsh
	equal "$(enroot start rc)" "entry default"
	equal "$(enroot start rc x 'y z')" "entry x y z"
	equal "$(enroot start --rc /dev/null rc sh -c 'echo $FROM')" image
	echo 'echo mine "$@"' >own
	equal "$(enroot start --rc own rc a b)" "mine a b"
}

# --- what pyxis calls

pyxis_conf() {
	cat >conf <<-EOF
		mounts() {
		    echo "$PWD/dir /data x-create=auto,bind,rw,nosuid"
		    echo "tmpfs /scratch x-create=dir"
		}
		environ() {
		    [ -n "\${PICKED-}" ] && echo "PICKED=\${PICKED}" || :
		    [ -n "\${ABSENT-}" ] && echo "ABSENT=\${ABSENT}" || :
		}
		hooks() {
		    echo 'exec "\$@"' > \${ENROOT_ROOTFS}/etc/rc.local
		}
	EOF
	mkdir -p dir
	echo data >dir/file
}

@test "--conf with the functions that pyxis writes; without any bash for it" {
	rc_image
	pyxis_conf
	enroot create --name pyxis_1.0 rc.sqsh
	PICKED=yes run -0 enroot start --conf conf pyxis_1.0 sh -c 'echo $PICKED-$ABSENT; cat /data/file; pwd; echo x >/scratch/f'
	equal "$output" $'yes-\ndata\n/work'
}

@test "--conf with other functions is left to bash" {
	rc_image
	cat >conf <<-'EOF'
		#ENROOT_REMAP_ROOT=y
		mounts() { for i in one two; do echo "$PWD/dir /$i none bind,x-create=dir"; done; }
		environ() { local x=$(echo computed); echo "X=$x"; }
		hooks() { for i in 1 2; do echo "$i" >>"${ENROOT_ROOTFS}/both"; done; }
		rc() {
			echo "rc $X $#" $(cat /one/file /two/file /both)
		}
	EOF
	mkdir dir
	echo data >dir/file
	run -0 --separate-stderr enroot start -c conf rc.sqsh a b
	equal "$output" "rc computed 2 data data 1 2"
}

@test "--conf: a script is read once, and its functions are called in enroot's order" {
	cat >conf <<-'EOF'
		echo "top $# $*"
		local count=$((${count-0} + 1))
		read -r line
		export FROM=script LATE=no
		environ() { echo "A=$count $# $FROM $line"; export LATE=environ; }
		hooks() { echo not shown; echo "H=$LATE" >>"$ENROOT_ENVIRON"; echo hook >"$ENROOT_ROOTFS/etc/hook"; export LATE=hooks; }
		mounts() { echo "$PWD/$LATE /$(cat "$ENROOT_ROOTFS/etc/hook") none bind,x-create=dir"; echo "$PWD /never none bind,x-create=dir 0 -1"; }
		rc() { echo "rc $* $A $B $C $H $LATE"; ls /hook /late; test ! -e /never; }
		trap 'echo bye' EXIT
	EOF
	mkdir -p etc/{environ.d,mounts.d,hooks.d} hooks environ
	echo made >hooks/file
	echo 'B=$FROM-${FROM}' >etc/environ.d/a.env
	echo '${PWD}/${LATE} /late none bind,x-create=dir' >etc/mounts.d/a.fstab
	printf '#!/bin/sh\necho "C=$FROM" >>"$ENROOT_ENVIRON"\n' >etc/hooks.d/a.sh
	chmod +x etc/hooks.d/a.sh
	run -0 --separate-stderr enroot start -c conf -e LATE "$image" one two <<<first
	equal "$output" $'top 2 one two\nbye\nrc one two 1 0 script first $FROM-script script environ environ\n/hook:\nfile\n\n/late:'
}

@test "--conf: a function in another spelling, or a second one, counts as it does in bash" {
	printf 'environ () {\n\techo "A=1"\n}\nenvirons() {\n\techo "A=2"\n}\n' >conf
	run -0 enroot start --conf conf "$image" sh -c 'echo "A is $A"'
	equal "$output" "A is 1"
	printf 'environ() {\n\techo "A=1"\n}\nenviron() {\n\techo "A=2"\n}\n' >conf
	run -0 enroot start --conf conf "$image" sh -c 'echo "A is $A"'
	equal "$output" "A is 2"
}

@test "--conf and files: the shell's own variables, and where the caller is whatever PWD says" {
	printf 'environ() {\n\techo "A=${EUID}"\n\techo "B=${PWD}"\n}\n' >conf
	mkdir -p dir etc/{mounts.d,environ.d}
	echo data >dir/f
	echo '${PWD}/f /mnt/f' >etc/mounts.d/a.fstab
	echo 'C=${PWD}-${EUID}' >etc/environ.d/a.env # the environment's only
	cd dir
	run -0 env PWD=/usr EUID=7 enroot start --conf ../conf "$image" sh -c 'echo "$A|$B|$C"; cat /mnt/f'
	equal "$output" "$(id -u)|$PWD|$PWD-7"$'\ndata'
	printf 'environ() {\n\techo "A=${HOSTNAME}-${OSTYPE}"\n}\n' >../conf
	run -0 env -u PWD -u HOSTNAME -u OSTYPE enroot start --conf ../conf "$image" sh -c 'echo "$A|$C"'
	equal "$output" "$(bash -c 'echo "$HOSTNAME-$OSTYPE"')|$PWD-"
	printf 'ENROOT_TEMP_PATH "${PWD}/${EUID}/${OSTYPE}"\n' >../etc/enroot.conf
	run -0 env PWD=/usr enroot info
	contains "$output" "ENROOT_TEMP_PATH=$PWD/$(id -u)/$OSTYPE"
}

@test "--conf: what fails is told, and nothing starts" {
	enroot create -n a "$image"
	printf 'hooks() {\n\tfalse\n\techo "went on" >&2\n}\n' >hooks
	run -1 --separate-stderr enroot start --conf hooks a echo started
	equal "$output|$stderr" "|[ERROR] $PWD/hooks: hooks exited with return code 1"
	printf 'environ() { echo "X=$NOT_SET"; }\n' >unset
	run -1 --separate-stderr enroot start --conf unset a echo started
	equal "$output" ""
	contains "$stderr" "NOT_SET"
	printf 'environ() {\n\techo "X=${NOT_SET}"\n}\n' >unset
	run -1 --separate-stderr enroot start --conf unset a echo started
	equal "$output" ""
	contains "$stderr" "NOT_SET"
	printf 'exit 3\n' >top
	run -1 --separate-stderr enroot start --conf top a echo started
	equal "$output|$stderr" "|[ERROR] $PWD/top exited with return code 3"
	printf 'mounts() {\n\thead -c 6000000 /dev/zero\n}\n' >talk
	run -1 --separate-stderr enroot start --conf talk a echo started
	equal "$output|$stderr" "|[ERROR] $PWD/talk: mounts says more than 4194304 bytes"
}

@test "the child which was started stops itself, and its namespaces are the container's" {
	rc_image
	pyxis_conf
	enroot create --name pyxis_1.0 rc.sqsh
	ENROOT_REMAP_ROOT=n enroot start --conf conf pyxis_1.0 sh -c 'kill -STOP $$ ; exit 7' &
	client=$!
	background+=("$client")
	eventually stopped "$client"
	for ns in user mnt cgroup; do
		[ "$(readlink "/proc/$client/ns/$ns")" != "$(readlink "/proc/self/ns/$ns")" ]
	done
	for ns in net ipc uts pid; do
		equal "$(readlink "/proc/$client/ns/$ns")" "$(readlink "/proc/self/ns/$ns")"
	done
	equal "$(readlink "/proc/$client/cwd")" /work
	contains "$(tr '\0' '\n' <"/proc/$client/environ")" FROM=image
	# a task joins by that pid, and lives on when the process that held the namespaces ends
	equal "$(nsenter --preserve-credentials -U -m --target "$client" /bin/cat /data/file)" data
	run -0 enroot list -f
	[[ ${lines[0]} =~ ^NAME\ +PID\ +COMM\ +STATE\ +STARTED\ +TIME\ +MNTNS\ +USERNS\ +COMMAND$ ]]
	read -r name pid comm state rest <<<"${lines[1]}"
	equal "$name $pid $comm" "pyxis_1.0 $client sh"
	[[ $state == T* ]]
	kill -CONT "$client"
	client_ends
	equal "$status" 7
	enroot export -f -o saved.sqsh pyxis_1.0
	enroot remove -f pyxis_1.0
	equal "$(enroot list)" ""
}

# --- list -f and exec

@test "a container is found by its name however long its path is" {
	local long
	long=$(printf '%150s' '' | tr ' ' l)
	export ENROOT_DATA_PATH=$PWD/$long/$long
	enroot create -n a "$image"
	nap=$(a_nap)
	enroot start a sleep "$nap" &
	background+=($!)
	eventually sleeps "$nap"
	eventually listed a "$!"
	equal "$(enroot exec a echo here)" here
}

@test "what is mounted at / is the root, and later mounts lie in it" {
	enroot create -n a "$image"
	mkdir -p other/bin other/inner src
	enroot start a cat /bin/busybox >other/bin/sh
	chmod +x other/bin/sh
	echo mark >other/mark
	echo word >src/word
	run -0 enroot start -m "$PWD/other:/" -m "$PWD/src:/inner" a /bin/sh -c 'echo /*; read x </inner/word; echo "$x"; echo x 2>&1 >/new || :'
	equal "$output" "/bin /inner /mark
word
/bin/sh: can't create /new: Read-only file system"
	enroot start -w -m "$PWD/other:/" a /bin/sh -c 'echo x >/new'
	equal "$(cat other/new)" x
}

# A process in `hostile` makes a root of its own that bears the name of `a`. It began earlier, so it would be found first.
@test "exec by name does not enter what another container calls by that name" {
	enroot create -n hostile "$image"
	enroot create -n a "$image"
	mkfifo go
	exec {go}<>go
	cat >inside <<-EOF
		mkdir /n && mount -t tmpfs "enroot:$ENROOT_DATA_PATH/a" /n && mkdir /n/bin /n/old /n/host &&
			cp /bin/busybox /n/bin/sh && cp /bin/busybox /n/bin/cat && echo hostile >/n/who &&
			mount --bind /host /n/host && cd /n && pivot_root . old &&
			exec /bin/sh -c 'echo x >/host/ready; read x </host/go'
	EOF
	enroot start --rw --root -m "$PWD:/host" hostile sh /host/inside 3>&- &
	background=($!)
	eventually test -s ready
	run -1 --separate-stderr enroot exec a cat /who
	equal "$stderr" "[ERROR] Process not found: a"
	rest=()
	for how in "" --rw --rw; do # the last one shares the root of the one before
		nap=$(a_nap)
		enroot start $how a sleep "$nap" 3>&- &
		rest+=("$!")
		eventually sleeps "$nap"
		equal "$(enroot exec a sh -c 'cat /who || echo right' 2>/dev/null)" right
	done
	for pid in "${rest[@]:0:2}"; do
		kill "$pid"
		wait "$pid" || :
		equal "$(enroot exec a sh -c 'cat /who || echo right' 2>/dev/null)" right
	done
	background+=("${rest[2]}")
	equal "$(enroot start --rw a sh -c 'cat /who || echo right' 2>/dev/null)" right
	echo x >&"$go"
	wait "${background[0]}"
}

@test "exec by name finds what is started after a crash of the machine that left the key empty" {
	enroot create -n a "$image"
	mkdir -m 700 runtime
	export SBX_RUNTIME=$PWD/runtime
	: >runtime/enroot.key
	nap=$(a_nap)
	enroot start a sleep "$nap" 3>&- &
	background=($!)
	eventually sleeps "$nap"
	equal "$(enroot exec a echo here)" here
}

@test "list -f: a container that does not run has a name only, an image's is <unknown>" {
	enroot create -n a "$image"
	enroot create -n b "$image"
	nap=$(a_nap)
	echo >"$ENROOT_DATA_PATH/stray"
	enroot start b sleep "$nap" &
	background+=($!)
	one=$!
	enroot start "$image" sleep "$nap" &
	background+=($!)
	two=$!
	eventually sleeps "$nap" 2
	eventually three_lines
	# when it began, and how long ago, in the words of ps
	times=' sleep +[RSD][^ ]* +[0-2][0-9]:[0-5][0-9] +[0-9][0-9]:[0-5][0-9] +[0-9]+ +[0-9]+ +sleep '
	[[ ${lines[2]} =~ $times ]]
	equal "$(enroot list)" $'a\nb\nstray'
}

# A process that is just joining a container may be listed for a moment, too.
three_lines() {
	mapfile -t lines < <(enroot list -f)
	[ "${lines[1]}" = a ] && [ "${#lines[@]}" = 4 ] &&
		[[ ${lines[2]} =~ ^b\ +$one\ +sleep\ .*\ sleep\ $nap$ ]] &&
		[[ ${lines[3]} =~ ^\<unknown\>\ +$two\ +sleep ]]
}

@test "exec joins by pid, and by name: namespaces, environment, working directory, status" {
	enroot create -n a "$image"
	nap=$(a_nap)
	enroot start --root -e A=start a sleep "$nap" &
	background+=($!)
	pid=$!
	eventually sleeps "$nap"
	equal "$(enroot exec -e B=2 "$pid" sh -c 'echo $A $B; id -u; readlink /proc/self/ns/mnt')" \
		"$(printf '%s\n' 'start 2' 0 "$(readlink "/proc/$pid/ns/mnt")")"
	run -9 enroot exec a sh -c 'exit 9'
	run -1 --separate-stderr enroot exec "$pid" nosuch
	equal "$stderr" "enroot-nsenter: failed to execute: nosuch: No such file or directory"
	for none in 999999999 nobody 4000000; do
		run -1 --separate-stderr enroot exec "$none" true
		equal "$stderr" "[ERROR] Process not found: $none"
	done
}

# The caller's session keyring would be inherited; and a process with the caller's uid could link the user keyring, whose number
# is in /proc/keys, into its own.
@test "no key of the caller's is found inside" {
	enroot create -n a "$py"
	run -0 python3 - <<-'END'
		import ctypes, subprocess, time
		libc = ctypes.CDLL(None)
		keyctl = libc.syscall
		if keyctl(250, 1, b"the-caller") < 0 or keyctl(248, b"user", b"a key", b"secret", 6, -3) < 0 \
		        or keyctl(248, b"user", b"another", b"secret", 6, -4) < 0:
		    print("this machine has no keys")
		    raise SystemExit
		own = keyctl(250, 0, -4, 0)
		search = f"""
		import ctypes
		c = ctypes.CDLL(None).syscall
		c(250, 1, None); c(250, 8, {own}, -3)
		print(*[c(250, 10, ring, b'user', name, 0) for ring, name in ((-3, b'a key'), (-3, b'another'), (-4, b'another'))])
		""".replace("\t", "")
		found = lambda *args: subprocess.run(["enroot", *args, "python3", "-c", search], check=True, stdout=subprocess.PIPE).stdout
		assert keyctl(250, 10, -3, b"user", b"a key", 0) > 0
		assert found("start", "a") == found("start", "--root", "a") == b"-1 -1 -1\n"
		with subprocess.Popen(["enroot", "start", "a", "sh", "-c", "echo; exec sleep 100000"], stdout=subprocess.PIPE) as one:
		    one.stdout.readline()
		    try:
		        assert found("exec", str(one.pid)) == b"-1 -1 -1\n"
		    finally:
		        one.kill()
	END
	lacks "$output" "no keys" || lacking "keyctl() for the caller"
}

@test "what NeMo Gym calls: a loop with its own pids, found by list -f, exec, TERM" {
	export ENROOT_UNSHARE_PID=yes
	enroot create -n gym "$image"
	nap=$(a_nap)
	enroot start --rw --root -m "$PWD:/host" -e K=V --rc /dev/null gym sh -c "while :; do sleep $nap; done  # gym" &
	client=$!
	background+=("$client")
	eventually sleeps "$nap"
	pid=$(enroot list -f | awk '$1 == "gym" { print $2 }')
	[ -n "$pid" ]
	equal "$(enroot exec -e X=1 "$pid" sh -c 'echo $K $X $$ >/host/out; cat /proc/1/comm; cat /host/out' | head -1)" sh
	[[ $(cat out) == "V 1 "* ]]
	run -4 enroot exec "$pid" sh -c 'exit 4'
	kill "$client"
	client_ends
	eventually sleeps "$nap" 0
	enroot remove -f gym
}

# --- the image server

@test "a container goes on when the image server is killed, and a child left behind too" {
	enroot create -n a "$image"
	mkfifo go
	exec {go}<>go
	enroot start -m "$PWD:/host" a sh -c '(read x </host/go; ls -R /bin /etc >/dev/null && echo fine >/host/out) & echo $! >/host/child' 
	eventually test -s child
	end_server
	echo x >&"$go"
	eventually test -s out
	equal "$(cat out)" fine
}

@test "no process and no mount is left by what ended" {
	enroot create -n a "$image"
	for i in 1 2 3; do enroot start a true; done
	eventually no_keepers
	run ! grep -F "$PWD/data" /proc/self/mountinfo
}

# Keepers are not dumpable, so they are recognized by name; no other file of tests starts any.
no_keepers() {
	! ps -o stat=,comm= -u "$(id -u)" | grep -q '^[^Z].* sbx-lease$'
}

@test "a keeper does not wait for strangers whose namespace has the number that its container's had" {
	local name=keep$RANDOM$RANDOM
	kept_by() { # the keeper has the command line of `start`, with this name
		ps -o pid=,comm=,args= -u "$(id -u)" | awk -v name="$name" '$2 == "sbx-lease" && index($0, name) { print $1 }'
	}
	enroot create -n "$name" "$image"
	enroot start --rw "$name" sh -c 'echo up; exec sleep 100000' >up 3>&- &
	background+=($!)
	eventually test -s up
	number=$(stat -Lc %i "/proc/$!/ns/mnt")
	keeper=$(kept_by)
	kill -STOP "$keeper"
	kill -9 $! && wait $! || true
	for n in {1..20}; do
		# shellcheck disable=SC2016
		unshare -Urm sh -c 'stat -Lc %i /proc/self/ns/mnt >"$0.new" && mv "$0.new" "$0"; exec sleep 100000' "number$n" 3>&- &
		background+=($!)
		eventually test -e "number$n"
		[ "$(cat "number$n")" != "$number" ] || break # the inode number was reused
	done
	kill -CONT "$keeper"
	eventually gone "$keeper"
	run -1 compgen -G "data/$name/work-*"
}

@test "without overlay and without FUSE" {
	enroot create -n a "$image"
	equal "$(SBX_FUSE=off enroot start --rw a sh -c 'echo x >/new; cat /new')" x
	equal "$(SBX_FUSE=off enroot start a cat /new)" x
	enroot create -n b "$image"
	nap=$(a_nap)
	SBX_OVERLAY=off enroot start --rw b sleep "$nap" &
	background+=($!)
	eventually sleeps "$nap"
	eventually listed b "$!"
	SBX_OVERLAY=off enroot start --rw b touch /new
	SBX_OVERLAY=off enroot start b test -e /new
	run ! env SBX_OVERLAY=off enroot start b touch /no
	# files that one way wrote are visible to the other, or it fails
	enroot start b test -e /new
	run ! --separate-stderr env SBX_OVERLAY=off enroot start a cat /new
	contains "$stderr" "by overlay only: overlay is off"
	equal "$(enroot start a cat /new)" x
}

@test "without overlay, of many first starts at once one unpacks the image" {
	local -a starts=()
	export SBX_OVERLAY=off
	enroot create -n a "$image"
	for i in 1 2 3 4 5 6; do
		enroot start a echo "$i fine" >"said.$i" 2>&1 &
		starts+=($!)
	done
	wait "${starts[@]}"
	equal "$(cat said.*)" $'1 fine\n2 fine\n3 fine\n4 fine\n5 fine\n6 fine'
	[ ! -e data/a/rootfs.part ]
}

# --- files

@test "import makes an image of an archive and of a directory; registries wait" {
	mkdir -p tree/bin tree/etc
	cp "$(command -v busybox)" tree/bin/busybox
	ln -s busybox tree/bin/sh
	printf 'FROM=archive\n' >tree/etc/environment
	tar -C tree -czf tree.tar.gz .
	run -0 --separate-stderr enroot import tree.tar.gz
	equal "$output" ""
	equal "$(enroot start tree.sqsh sh -c 'echo $FROM')" archive
	run -1 --separate-stderr enroot import tree.tar.gz
	equal "$stderr" "[ERROR] File already exists: $PWD/tree.sqsh"
	enroot import -o dir.sqsh tree
	equal "$(enroot start dir.sqsh sh -c 'echo $FROM')" archive
	run -1 --separate-stderr enroot import -o x.sqsh docker://busybox
	[[ $stderr == "[ERROR] Registries are not spoken to yet: "*"docker://busybox" ]]
	[ ! -e x.sqsh ]
	run -0 --separate-stderr enroot import -a aarch64 -o arch.sqsh tree
	equal "$stderr" "[WARN] Image architecture doesn't match the requested one: unknown != aarch64"
	run -1 --separate-stderr enroot import http://x/y
	equal "$stderr" "[ERROR] Invalid argument: http://x/y"
	head -c 3000 /dev/urandom >junk.tar
	run -1 --separate-stderr enroot import junk.tar
	[ ! -e junk.sqsh ]
	equal "$(ls | grep -c part)" 0
}

# two_layers REF: makes an image of two layers, the upper one with a whiteout, with settings for which enroot has files.
two_layers() {
	local name=enroot-$BATS_TEST_NUMBER
	sbx import --change 'ENV LOW=1' "$box" "$name:low" >/dev/null
	sbx run --name "$name" "$name:low" sh -c 'rm /bin/true; echo new >/new'
	sbx commit --change 'ENTRYPOINT ["/bin/sh","-c","echo $0 $1 $LOW $HIGH; pwd","it'"'"'s"]' \
		--change 'CMD ["a word"]' --change 'WORKDIR /deep/work' --change 'ENV HIGH="two words"' \
		--change 'VOLUME /data' --change 'LABEL a=b' "$name" "$1" >/dev/null
	sbx rm "$name" >/dev/null
}

is_two_layers() {
	equal "$(enroot start "$1")" $'it\'s a word 1 two words\n/deep/work'
	equal "$(enroot start "$1" given)" $'it\'s given 1 two words\n/deep/work'
	printf 'cat /new; ls /bin/true /.dockerenv 2>/dev/null; echo x >/data/file && cat /data/file; touch /deep/no\n' >look
	run -1 --separate-stderr enroot start --rc look "$1"
	equal "$output" $'new\nx'
	contains "$stderr" "Read-only"
}

nothing_is_left_of_import() {
	equal "$(ls -A tmp)" ""
	equal "$(ls | grep -c part)" 0
	equal "$(sbx ps -aq --filter 'name=enroot[.]')" ""
}

@test "import makes one file of the layers of docker's archives and of OCI's" {
	export ENROOT_TEMP_PATH=$PWD/tmp
	mkdir tmp unpacked
	two_layers app:1
	sbx save -o docker.tar app:1 # an OCI layout, too
	gzip -k docker.tar
	tar -xf docker.tar -C unpacked
	rm unpacked/manifest.json unpacked/repositories
	tar -C unpacked -cf oci.tar oci-layout index.json blobs
	tar -C unpacked -cJf here.txz .
	for of in docker.tar docker.tar.gz oci.tar here.txz unpacked; do
		run -0 --separate-stderr enroot import -o "$of.sqsh" "$of"
		equal "$output$stderr" ""
		is_two_layers "$of.sqsh"
	done
	mv docker.tar $'a\necho added\n.tar' # no line of the image's /etc/rc
	enroot import -o odd.sqsh $'a\necho added\n.tar'
	is_two_layers odd.sqsh
	run -0 --separate-stderr enroot import -a sparc -o other.sqsh oci.tar
	[[ $stderr == "[WARN] Image architecture doesn't match the requested one: "*" != sparc" ]]
	sbx import "$box" third:1 >/dev/null
	sbx save -o several.tar app:1 third:1
	run -1 --separate-stderr enroot import several.tar
	contains "$stderr" "[ERROR] several.tar: The archive holds several images, save one of them: "
	[ ! -e several.sqsh ]
	nothing_is_left_of_import
	equal "$(sbx images -q --filter dangling=true)" ""
}

@test "load makes a container of a file or a directory, whose image is its own" {
	export ENROOT_TEMP_PATH=$PWD/tmp
	mkdir -p tmp tree/bin tree/etc
	cp "$(command -v busybox)" tree/bin/busybox
	ln -s busybox tree/bin/sh
	printf 'FROM=archive\n' >tree/etc/environment
	tar -C tree -czf tree.tar.gz .
	two_layers app:1
	sbx save -o docker.tar app:1
	run -0 --separate-stderr enroot load tree.tar.gz
	equal "$output$stderr" ""
	run -0 --separate-stderr enroot load --name named docker.tar
	equal "$output$stderr" ""
	equal "$(enroot list)" $'named\ntree'
	rm tree.tar.gz docker.tar
	equal "$(enroot start tree sh -c 'echo $FROM')" archive
	enroot start named true
	mv tree other
	run -1 --separate-stderr enroot load -n tree other
	equal "$stderr" "[ERROR] File already exists: $ENROOT_DATA_PATH/tree"
	echo FROM=other >other/etc/environment
	enroot load -f -n tree other
	equal "$(enroot start tree sh -c 'echo $FROM')" other
	run -1 --separate-stderr enroot load -n a/b other
	equal "$stderr" "[ERROR] Invalid argument: a/b"
	run -1 --separate-stderr enroot load -n x docker://busybox
	[[ $stderr == "[ERROR] Registries are not spoken to yet: "*"docker://busybox" ]]
	run -1 enroot load -n x nosuch
	enroot remove -f tree named
	equal "$(enroot list)" ""
	equal "$(ls -A "$ENROOT_DATA_PATH/.sbx-half")" ""
	nothing_is_left_of_import
}

@test "import asks docker and podman for their images, and this store" {
	export ENROOT_TEMP_PATH=$PWD/tmp
	mkdir tmp none engines
	two_layers team/app:2
	printf '#!/bin/sh\necho "$*" >>"%s/asked"\n[ "$1 $2" = "image inspect" ] || [ "$1" = pull ] || exec "%s" "$@"\n' "$PWD" "$SBX" >engines/podman
	chmod +x engines/podman
	for tool in sh cat ls touch grep env; do ln -s "$(command -v $tool)" "none/$tool"; done
	PATH=$BATS_FILE_TMPDIR/bin:$PWD/none enroot import dockerd://team/app:2
	is_two_layers team+app+2.sqsh
	run -1 --separate-stderr env PATH="$BATS_FILE_TMPDIR/bin:$PWD/none" enroot import dockerd://team/app:3
	equal "$stderr" "[ERROR] No such image: team/app:3"
	run -1 --separate-stderr env PATH="$BATS_FILE_TMPDIR/bin:$PWD/none" enroot import podman://x
	equal "$stderr" "[ERROR] Command not found: podman"
	run -1 --separate-stderr enroot import "podman://a b"
	equal "$stderr" "[ERROR] Invalid image reference: podman://a b"
	PATH=$PWD/engines:$PATH run -1 --separate-stderr enroot import -o asked.sqsh podman://--help
	equal "$stderr" "[ERROR] Invalid image reference: podman://--help"
	PATH=$PWD/engines:$PATH enroot import -o asked.sqsh podman://team/app:2
	equal "$(cat asked)" $'image inspect team/app:2\nsave team/app:2'
	is_two_layers asked.sqsh
	printf '#!/bin/sh\necho "$*" >>"%s/asked"\necho no such thing >&2\nexit 3\n' "$PWD" >engines/podman
	run -1 --separate-stderr env PATH="$PWD/engines:$PATH" enroot import podman://nowhere
	equal "$stderr" $'no such thing\n[ERROR] '"$PWD/engines/podman could not do it"
	equal "$(tail -n 2 asked)" $'image inspect nowhere\npull nowhere'
	nothing_is_left_of_import
}

@test "an import that is interrupted leaves nothing" {
	export ENROOT_TEMP_PATH=$PWD/tmp
	mkdir tmp engines
	mkfifo begun
	# an engine that never ends
	printf '#!/bin/sh\n[ "$1" = image ] || { echo >"%s/begun"; exec sleep 1000; }\n' "$PWD" >engines/podman
	chmod +x engines/podman
	for signal in TERM INT HUP; do
		PATH=$PWD/engines:$PATH env --default-signal enroot import podman://x &
		pid=$!
		read -r <begun
		kill -s $signal "$pid"
		status=0
		wait "$pid" || status=$?
		equal "$status" $((128 + $(kill -l $signal)))
		nothing_is_left_of_import
		equal "$(ls | grep -c sqsh)" 1
	done
}

has_scratch() {
	[ -n "$(ls tmp)" ]
}

has_none() {
	! has_scratch
}

@test "an import that is killed leaves nothing, and of files nothing is made meanwhile" {
	export ENROOT_TEMP_PATH=$PWD/tmp
	mkdir tmp engines tree
	printf '#!/bin/sh\n[ "$1" = image ] || exec sleep 1000\n' >engines/podman
	chmod +x engines/podman
	PATH=$PWD/engines:$PATH env enroot import podman://x 3>&- &
	pid=$!
	eventually has_scratch
	kill -KILL "$pid"
	status=0
	wait "$pid" || status=$?
	equal "$status" 137
	eventually has_none
	nothing_is_left_of_import
	ENROOT_TEMP_PATH=$PWD/none enroot import tree
	tar -C tree -cf two.tar .
	ENROOT_TEMP_PATH=$PWD/none enroot import two.tar
	sbx import "$box" fourth:1 >/dev/null
	sbx save -o docker.tar fourth:1
	run -1 --separate-stderr env ENROOT_TEMP_PATH="$PWD/none" enroot import docker.tar
	equal "$stderr" "[ERROR] docker.tar: make a directory in $PWD/none: No such file or directory"
}

@test "export is the image and what was written" {
	enroot create -n a "$image"
	enroot start --root --rw a sh -c 'echo new >/new; rm /bin/false; mkdir -p /d/e'
	enroot export -o a.sqsh a
	enroot create -n b a.sqsh
	enroot start b sh -c 'test "$(cat /new)" = new && ! test -e /bin/false && test -d /d/e && test -x /bin/true'
	run -1 --separate-stderr enroot export -o a.sqsh a
	equal "$stderr" "[ERROR] File already exists: $PWD/a.sqsh"
	enroot export -f -o a.sqsh a
	# where nobody can look for it, that is not taken for nothing
	mv "$ENROOT_DATA_PATH/a/upper" kept
	echo >"$ENROOT_DATA_PATH/a/upper"
	run -1 --separate-stderr enroot export -o b.sqsh a
	equal "$stderr" "[ERROR] look into $ENROOT_DATA_PATH/a/upper: Not a directory"
	run -1 enroot start a true
	[ ! -e b.sqsh ]
	rm "$ENROOT_DATA_PATH/a/upper"
	mv kept "$ENROOT_DATA_PATH/a/upper"
	enroot start a test -e /new
}

@test "export and import write where a link leads, also one to what is not there yet" {
	mkdir real
	ln -s real/a.sqsh link
	ln -s link second
	enroot create -n a "$image"
	enroot export -o second a
	[ -L second ] && [ -L link ] && [ -f real/a.sqsh ]
	run -1 --separate-stderr enroot export -o second a
	contains "$stderr" "File already exists: $PWD/real/a.sqsh"
	: >real/a.sqsh
	enroot export -f -o link a
	[ -L link ]
	equal "$(enroot start link echo works)" works
	ln -s none/b.sqsh lost
	run -1 --separate-stderr enroot export -o lost a
	contains "$stderr" "No such file or directory: "
}

@test "a file made by export, import or bundle may have a name as long as names are" {
	local long
	long=$(printf '%250s' '' | tr ' ' x).sqsh
	enroot create -n a "$image"
	enroot export -o "$long" a
	enroot export -f -o "$long" a
	enroot start "$long" true
	mkdir files dir
	enroot import -o "files/$long" dir
	enroot bundle -o "${long%.sqsh}.run" "$image"
	enroot bundle -f -o "${long%.sqsh}.run" "$image"
	run -1 --separate-stderr enroot export -o "x$long" a
	equal "$stderr" "[ERROR] x$long: File name too long"
	equal "$(ls files)" "$long"
}

@test "an import of a directory that cannot be read whole says what cannot, and makes nothing" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	mkdir -p tree/dir
	echo one >tree/one
	echo old >tree.sqsh
	for what in one dir; do
		chmod 000 "tree/$what"
		run -1 --separate-stderr enroot import -o new.sqsh tree
		contains "$stderr" "read ./$what: Permission denied"
		contains "$stderr" "[ERROR] tree: the directory cannot be read whole"
		run -1 --separate-stderr sbx import tree new:1
		contains "$stderr" "read ./$what: Permission denied"
		chmod 700 "tree/$what"
	done
	equal "$(find . -maxdepth 1 -name '*new*')" ""
	run -1 sbx image inspect new:1
	# files that the container has made unreadable are read all the same, in its user namespace
	enroot create -n a "$image"
	enroot start --rw a sh -c 'mkdir /shut; echo x >/shut/f; echo y >/file; chmod 000 /shut /file'
	enroot export -o a.sqsh a
	enroot create -n b a.sqsh
	equal "$(enroot start --root --rw b sh -c 'stat -c %a /shut /file; cat /shut/f /file' | paste -sd,)" 0,0,x,y
	enroot remove -f a b
}

@test "batch takes the container from the script" {
	enroot create -n a "$image"
	printf '#ENROOT_ROOTFS=a\n#ENROOT_REMAP_ROOT=y\nenviron() {\n\techo "X=batch"\n}\n' >script
	equal "$(enroot batch script sh -c 'echo $X; id -u')" $'batch\n0'
	printf '#ENROOT_REMAP_ROOT=y\n' >none
	run -1 --separate-stderr enroot batch none true
	equal "$stderr" "[ERROR] Missing directive ENROOT_ROOTFS in none"
}

@test "a start on a full disk takes nothing away from the image's users" {
	cat >users <<-'EOF'
		enroot create -n a box.sqsh
		enroot start --rw a sh -c '
			for i in $(seq 146); do printf "user%03d:x:%04d:100:::/bin/a\n" $i $i; done >/etc/passwd'
		head -c 10000000 /dev/zero >small/fill 2>/dev/null
		enroot start --rw a sh -c 'wc -c </etc/passwd; tail -n 1 /etc/passwd'
	EOF
	run -0 unshare -Urm --propagation private bash -c '
		mkdir small && mount -t tmpfs -o size=3m none small || exit 77
		export ENROOT_DATA_PATH=$PWD/small/data SBX_RUNTIME=$PWD/r USER=somebody
		unshare -U --map-user=4567 --map-group=1234 bash users'
	equal "$output" $'4088\nuser146:x:0146:100:::/bin/a'
}

# --- bundles

@test "a bundle starts its image on a machine that has nothing else, and leaves nothing" {
	export TMPDIR=$PWD/tmp
	mkdir tmp dir
	echo x >dir/f
	run -0 --separate-stderr enroot bundle box.sqsh
	equal "$output" ""
	rm box.sqsh
	run -3 env -i HOME="$PWD/home" TMPDIR="$TMPDIR" SBX_ROOT="$SBX_ROOT" SBX_RUNTIME="$SBX_RUNTIME" SBX_LAYERS_IDLE=5 \
		./box.run sh -c 'echo here; id -u; exit 3'
	equal "$output" "here"$'\n'"$(id -u)"
	equal "$(./box.run --root --rw -e A=1 -m "$PWD/dir:/m" sh -c 'touch /new && echo $A $(id -u) $(ls /m)')" "1 0 f"
	run ! ./box.run test -e /new
	echo 'echo rc "$@"' >rc
	equal "$(./box.run --rc rc a b)" "rc a b"
	equal "$(ls tmp)" ""
	run -1 --separate-stderr enroot bundle -o box.run "$box"
	equal "$stderr" "[ERROR] File already exists: $PWD/box.run"
	enroot bundle -f -o box.run "$box"
	for wrong in --nonsense -rw --conf; do
		run -0 ./box.run $wrong
		contains "$output" "Usage: box.run [options] [--] [COMMAND] [ARG...]"
	done
	equal "$(TMPDIR=tmp ./box.run echo here)" here
	equal "$(ls tmp)" ""
	run -1 --separate-stderr enroot bundle rc
	equal "$stderr" "[ERROR] Invalid image format: $PWD/rc"
}

@test "a bundle tells about itself, and its checksum is kept" {
	enroot bundle --checksum --desc "what it is" --target to --output b.run box.sqsh
	run -0 ./b.run --info
	contains "$output" "Checksum: $(sha256sum <box.sqsh | cut -d' ' -f1)"
	contains "$output" "Description: what it is"
	contains "$output" "Target directory: to"
	run -0 ./b.run -h
	contains "$output" "what it is"
	run -0 ./b.run --verify
	contains "$output" "user namespaces"
	equal "$(./b.run echo fine)" fine
	python3 - <<-'PY'
		b = bytearray(open("b.run", "rb").read())
		at = b.rindex(b"hsqs") + 5000
		b[at] ^= 1
		open("bad.run", "wb").write(b)
	PY
	chmod +x bad.run
	run -1 --separate-stderr ./bad.run echo fine
	equal "$output$stderr" "[ERROR] Checksum validation failed"
}

@test "a bundle is made of words in UTF-8 only" {
	local words=$'caf\351'
	run -1 --separate-stderr enroot bundle --desc "$words" box.sqsh
	equal "$stderr" "[ERROR] words of a bundle must be UTF-8: \"caf\\xe9\""
	run -1 enroot bundle --target "$words" box.sqsh
	ENROOT_WORDS=$words run -1 enroot bundle --all box.sqsh
	[ ! -e box.run ]
	enroot bundle --desc café box.sqsh
	contains "$(./box.run --info)" "Description: café"
}

@test "a bundle's files are kept with --keep and --extract, which write over nothing" {
	enroot bundle box.sqsh
	./box.run --keep --rw touch /new
	[ -e box/new ]
	[ -x box/bin/busybox ]
	run -1 --separate-stderr ./box.run --extract
	equal "$stderr" "[ERROR] File already exists: $PWD/box"
	rm -rf box
	./box.run --extract nosuch
	[ -x box/bin/busybox ]
}

@test "bundle --all takes the user's hooks, variables and settings along; no other bundle has any" {
	mkdir -p home/.config/enroot/{environ.d,hooks.d}
	echo 'A=variable' >home/.config/enroot/environ.d/a.env
	printf '#!/bin/sh\necho B=hook >>$ENROOT_ENVIRON\n' >home/.config/enroot/hooks.d/b.sh
	chmod +x home/.config/enroot/hooks.d/b.sh
	ENROOT_REMAP_ROOT=y enroot bundle -a -o all.run box.sqsh
	ENROOT_BUNDLE_ALL=no enroot bundle -o none.run box.sqsh
	rm -r home/.config
	equal "$(./all.run sh -c 'echo $A $B $(id -u)')" "variable hook 0"
	equal "$(./none.run sh -c 'echo "[$A$B]" $(id -u)')" "[] $(id -u)"
}

# --- many

@test "remove -f, create, start of a script from 16 processes at once on different names" {
	mkdir work
	echo 'import os; print("script", os.getcwd() != "")' >work/script.py
	cp "$py" py.sqsh
	one() {
		local name=n$1
		for _ in 1 2 3; do
			enroot remove -f "$name" 2>/dev/null || true
			enroot create --name "$name" py.sqsh || return
			[ "$(enroot start --mount "$PWD/work:/work" "$name" python3 /work/script.py)" = "script True" ] || return
		done
		echo fine >"ok.$name"
	}
	for i in {1..16}; do
		one "$i" &
		background+=($!)
	done
	wait "${background[@]}"
	equal "$(cat ok.* | wc -l)" 16
	equal "$(enroot list | wc -l)" 16
}

# --- recorded

# Calls whose results were recorded with NVIDIA's enroot (tests/enroot).

recorded() {
	"$BATS_TEST_DIRNAME/../enroot/compare" --enroot "$SBX" --image "$box" --scratch "$BATS_FILE_TMPDIR" "$@"
}

@test "the recorded grammar" {
	recorded 10- 11-
}

@test "containers: what was recorded of create, list, remove and export" {
	recorded 20- 21- 60-
}

@test "start: the recorded statuses, roots, environments and command scripts" {
	recorded 30- 31- 32- 33-
}

@test "the recorded --conf scripts, mounts and hooks, and what is seen of the machine" {
	recorded 40- 41- 42- 43- 44- 45-
}

@test "words of files, scripts and hooks as recorded" {
	recorded 46-
}

@test "exec, import and settings as recorded" {
	recorded 50- 70- 80-
}
