load lib

@test "-v shows a host directory, and what is written there is the host's" {
	mkdir dir
	echo host >dir/file
	sbx run --rm -v "$PWD/dir:/in" "$box" sh -c 'cat /in/file; echo inside >/in/new' >out
	equal "$(cat out dir/new)" $'host\ninside'
	equal "$(stat -c %u dir/new)" "$(id -u)"
}

@test "the file behind a mount is the very file" {
	touch file
	equal "$(sbx run --rm -v "$PWD/file:/f" "$box" stat -c %i /f)" "$(stat -c %i file)"
}

@test ":ro cannot be written, nor made writable" {
	mkdir dir
	touch dir/file
	run -1 sbx run --rm -v "$PWD/dir:/in:ro" "$box" sh -c 'echo x >/in/file'
	run sbx run --rm -v "$PWD/dir:/in:ro" "$box" sh -c 'mount -o remount,bind,rw /in; echo x >/in/file'
	[ ! -s dir/file ]
	run sbx run --rm --privileged -v "$PWD/dir:/in:ro" "$box" sh -c 'umount /in; mount -o remount,bind,rw /in; echo x >/in/file'
	[ ! -s dir/file ]
}

@test "-v makes a missing host directory, --mount refuses" {
	sbx run --rm -v "$PWD/made/deep:/in" "$box" touch /in/file
	[ -e made/deep/file ]
	run -125 --separate-stderr sbx run --rm --mount "type=bind,src=$PWD/not-there,dst=/in" "$box" true
	contains "$stderr" "bind source path does not exist: $PWD/not-there"
	[ ! -e not-there ]
}

@test "a missing mount point is made, the image stays as it is" {
	mkdir dir
	sbx run --rm -v "$PWD/dir:/a/b/c" "$box" test -d /a/b/c
	touch file
	sbx run --rm -v "$PWD/file:/etc/new/file" "$box" test -f /etc/new/file
	sbx run --rm "$box" sh -c '! test -e /a && ! test -e /etc/new'
}

@test "mounts below mounts, in any order" {
	mkdir -p outer/sub inner
	touch inner/deep outer/flat
	sbx run --rm -v "$PWD/inner:/m/sub" -v "$PWD/outer:/m" "$box" sh -c 'test -e /m/flat && test -e /m/sub/deep'
}

@test "odd names" {
	mkdir $'a b\tc"d\\e'
	touch $'a b\tc"d\\e/file'
	sbx run --rm -v "$PWD/"$'a b\tc"d\\e:/x y' "$box" test -e '/x y/file'
}

@test "bad -v and --mount are 125 with the words given" {
	for bad in a:b:c:d /x:relative /x:/; do
		run -125 --separate-stderr sbx run --rm -v "$bad" "$box" true
		contains "$stderr" "$bad"
	done
	run -125 --separate-stderr sbx run --rm --mount type=nonsense,dst=/x "$box" true
	run -125 --separate-stderr sbx run --rm --mount type=bind,dst=/x "$box" true
	run -125 --separate-stderr sbx run --rm --mount type=bind,src=/etc,dst=/x,nonsense=1 "$box" true
	contains "$stderr" "nonsense"
}

@test "--mount type=bind with readonly" {
	mkdir dir
	run -1 sbx run --rm --mount "type=bind,source=$PWD/dir,target=/in,readonly" "$box" touch /in/x
	[ ! -e dir/x ]
}

@test "--tmpfs is empty, writable, of its size, and no file of the host's" {
	run -0 sbx run --rm --tmpfs /t:size=1m,mode=0700 "$box" sh -c '
		grep " /t tmpfs" /proc/mounts >/dev/null && stat -c %a /t
		dd if=/dev/zero of=/t/big bs=64k count=64 2>/dev/null || echo full'
	equal "$output" $'700\nfull'
}

@test "--mount type=tmpfs with its size and mode" {
	equal "$(sbx run --rm --mount type=tmpfs,dst=/t,tmpfs-size=65536,tmpfs-mode=0700 "$box" \
		sh -c 'stat -c %a /t; df -k /t | tail -n 1 | tr -s " " | cut -d " " -f 2')" $'700\n64'
}

@test "--read-only: nothing but mounts and /dev/shm can be written" {
	mkdir dir
	run -0 sbx run --rm --read-only -v "$PWD/dir:/d" --tmpfs /t "$box" sh -c '
		for f in /x /etc/x /root/x; do touch $f 2>/dev/null && echo "wrote $f"; done
		touch /d/x /t/x /dev/shm/x && echo good'
	equal "$output" good
	[ -e dir/x ]
}

@test "a symbolic link in the image does not lead a mount out of it" {
	mkdir dir data
	sbx run --rm -v "$PWD/dir:/d" "$box" ln -s /../../../../../../../../tmp /d/out
	sbx run --rm -v "$PWD/dir:/d" -v "$PWD/data:/d/out/sbx-mark-$c" "$box" true || true
	[ ! -e "/tmp/sbx-mark-$c" ]
}

@test "a mount of the host made later does not appear inside" {
	mkdir dir
	run -0 sbx run --rm -v "$PWD/dir:/in" "$box" sh -c '! grep " /in " /proc/self/mountinfo | grep -q "shared:"'
}

@test "relative and home paths of -v are docker's: ./dir is the caller's" {
	mkdir dir
	touch dir/here
	sbx run --rm -v ./dir:/in "$box" test -e /in/here
}

@test "what the host changes is seen at once, and the other way round" {
	mkdir dir
	sbx run -d --name "$c" -v "$PWD/dir:/in" "$box" sleep 100000 >/dev/null
	echo one >dir/f
	equal "$(sbx exec "$c" cat /in/f)" one
	sbx exec "$c" sh -c 'echo two >/in/f'
	equal "$(cat dir/f)" two
}

@test "a file at a directory's place, and the reverse, are told as docker tells them" {
	mkdir dir && echo x >file
	run -125 sbx run --rm -v "$PWD/file:/etc" "$box" true
	contains "$output" "not a directory: unknown: Are you trying to mount a directory onto a file (or vice-versa)? Check if the specified host path exists and is the expected type"
	run -125 sbx run --rm -v "$PWD/dir:/bin/sh" "$box" true
	contains "$output" "Are you trying to mount a directory onto a file (or vice-versa)?"
}

@test "what is mounted at /etc has the container's hosts, hostname and resolv.conf all the same" {
	for o in "-v $c:/etc" "--tmpfs /etc" "--tmpfs /etc:ro" "--mount type=tmpfs,dst=/etc"; do
		run -0 sbx run --rm --hostname told --add-host far:10.1.2.3 $o "$box" cat /etc/hostname /etc/hosts
		contains "$output" told
		contains "$output" 10.1.2.3
	done
	sbx volume rm "$c"
}

@test "a read-only tmpfs has what is mounted in it, and is read-only" {
	mkdir dir && echo in >dir/f
	run -0 sbx run --rm --tmpfs /t:ro -v "$PWD/dir:/t/d" "$box" sh -c 'cat /t/d/f; echo x >/t/d/g; echo x >/t/g || echo closed'
	contains "$output" in
	contains "$output" closed
	[ -e dir/g ]
}

@test "a tmpfs has the mode of the directory that it covers, unless it is given another" {
	sbx run --name "$c" "$box" sh -c 'mkdir /own && chmod 2750 /own'
	sbx commit "$c" "$c-i" >/dev/null
	equal "$(sbx run --rm --tmpfs /own "$c-i" stat -c %a /own)" 2750
	equal "$(sbx run --rm --mount type=tmpfs,dst=/own "$c-i" stat -c %a /own)" 2750
	equal "$(sbx run --rm --tmpfs /own:mode=711 "$c-i" stat -c %a /own)" 711
	equal "$(sbx run --rm --tmpfs /new "$c-i" stat -c %a /new)" 1777
	sbx rm "$c" && sbx rmi "$c-i"
}

@test "what the kernel refuses of a tmpfs is told at the start, in runc's words" {
	sbx create --name "$c" --tmpfs /t:bogus "$box" true
	run -1 sbx start "$c"
	contains "$output" 'invalid tmpfs option ["bogus"]'
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}' "$c")" 'created 128 invalid tmpfs option ["bogus"]'
	sbx rm "$c"
	run -125 sbx run --rm --tmpfs /t:size=zz "$box" true
	contains "$output" 'error mounting "tmpfs" to rootfs at "/t": mount tmpfs:/t'
	contains "$output" 'size=zz: invalid argument: unknown'
}

@test "a place that cannot be made is told with what was to be mounted there" {
	mkdir dir
	run -125 sbx run --name "$c" -v "$PWD/dir:/bin/busybox/x" "$box" true
	contains "$output" "error mounting \"$PWD/dir\" to rootfs at \"/bin/busybox/x\": "
	contains "$output" "not a directory: unknown: Are you trying"
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 127
	sbx rm "$c"
}

@test "--tmpfs for a user: it is his, whatever ids there are" {
	run -0 sbx run --rm --tmpfs /t:uid=1000,gid=1000,mode=0700 -u 1000:1000 "$box" sh -c 'echo in >/t/f && stat -c "%a %u %g" /t'
	equal "$output" "700 1000 1000"
	run -125 sbx run --rm --tmpfs /t:uid=x "$box" true
	contains "$output" "invalid argument"
}

@test "an image is mounted in a container of another, read-only: of one layer and of several, and a part of it" {
	sbx run --name "$c" "$box" sh -c 'echo two >/two && ln -s ../two /etc/link && ln -s /two /etc/out && rm /bin/vi'
	sbx commit "$c" "$c-i" >/dev/null && sbx rm "$c"
	run -0 sbx run --rm --mount "type=image,src=$c-i,dst=/i" "$box" sh -c 'cat /i/two; test ! -e /i/bin/vi && test -e /bin/vi && echo gone; touch /i/x || echo closed'
	equal "$(grep -v '^touch' <<<"$output")" $'two\ngone\nclosed'
	# a link is followed within the image; none may lead out of it
	equal "$(sbx run --rm --mount "type=image,src=$c-i,dst=/i,image-subpath=etc/link" "$box" cat /i)" two
	run -125 sbx run --rm --mount "type=image,src=$c-i,dst=/i,image-subpath=etc/out" "$box" cat /i
	contains "$output" "path concatenation escapes the base directory, base: $c-i, subpath: etc/out"
	equal "$(sbx run --rm --mount "type=image,src=$box,dst=/i,image-subpath=etc" "$box" cat /i/passwd)" "$(sbx run --rm "$box" cat /etc/passwd)"
	# two beside each other, and below a volume
	mkdir dir
	equal "$(sbx run --rm -v "$PWD/dir:/d" --mount "type=image,src=$c-i,dst=/d/one" --mount "type=image,src=$c-i,dst=/d/two" "$box" cat /d/one/two /d/two/two)" $'two\ntwo'
	# with the fallbacks for the root
	for way in SBX_FUSE SBX_OVERLAY; do
		equal "$(env $way=off "$SBX" run --rm --mount "type=image,src=$box,dst=/i" "$box" cat /i/etc/passwd)" "$(sbx run --rm "$box" cat /etc/passwd)"
	done
	equal "$(SBX_FUSE=off "$SBX" run --rm --mount "type=image,src=$c-i,dst=/i" "$box" cat /i/two)" two
	# it is still there after a restart, and unchanged
	sbx create --name "$c" --mount "type=image,src=$c-i,dst=/i" "$box" cat /i/two
	equal "$(sbx start -a "$c")$(sbx start -a "$c")" twotwo
	equal "$(sbx inspect -f '{{range .Mounts}}{{.Type}} {{.Source}} {{.Destination}} {{.RW}}{{end}}' "$c")" "image $c-i /i false"
	sbx rm "$c" && sbx rmi "$c-i"
}

@test "an image that cannot be mounted is told of, and makes no container" {
	run -1 sbx create --name "$c" --mount "type=image,src=$c-none,dst=/i" "$box" true
	contains "$output" "No such image: $c-none:latest"
	run -1 sbx create --name "$c" --mount type=image,dst=/i "$box" true
	contains "$output" 'invalid mount config for type "image": field Source must not be empty'
	run -1 sbx create --name "$c" --mount "type=image,src=$box,dst=/i,image-subpath=../x" "$box" true
	contains "$output" "subpath must be a relative path within the image"
	run -125 sbx create --name "$c" --mount "type=bind,src=/,dst=/i,image-subpath=x" "$box" true
	contains "$output" "cannot mix 'image-*' options with mount type 'bind'"
	run -1 sbx inspect "$c"
	run -127 sbx run --rm --mount "type=image,src=$box,dst=/i,image-subpath=none" "$box" true
	contains "$output" "cannot access path $box/none: lstat $box/none: no such file or directory"
}

@test "a part of a volume is mounted, filled from the image where it is empty, and never what lies outside" {
	part() {
		sbx run --rm --mount "type=volume,src=$c-v,dst=$2,volume-subpath=$1" "$box" "${@:3}"
	}
	sbx run --rm -v "$c-v:/v" "$box" sh -c 'cd /v && mkdir sub dir bin && echo one >sub/f && echo two >file &&
		ln -s ../sub dir/good && ln -s / dir/root && ln -s root/etc dir/far && ln -s ../.. dir/up'
	equal "$(part sub /p cat /p/f)" one
	equal "$(part dir/good /p cat /p/f)" one
	equal "$(part file /p cat /p)" two
	equal "$(part file /etc/group cat /etc/group)" two
	equal "$(part bin /bin cat /etc/passwd)" "$(sbx run --rm "$box" cat /etc/passwd)"
	at=$(sbx volume inspect -f '{{.Mountpoint}}' "$c-v")
	for link in root far up; do
		run -125 part "dir/$link" /p true
		contains "$output" "Error response from daemon: path concatenation escapes the base directory, base: $at, subpath: dir/$link"
	done
	run -127 part no/where /p true
	contains "$output" "Error response from daemon: cannot access path $at/no/where: lstat $at/no: no such file or directory"
	run -125 part file/x /p true
	contains "$output" "error while resolving symlinks in combined path \"$at/file/x\": not a directory"
	sbx volume rm "$c-v"
}

# with_mount PROPAGATION SCRIPT: runs it with a directory "mounted", a mount of its own with this propagation.
with_mount() {
	mkdir -p -m 700 own mounted
	SBX_ROOT=$PWD/own/d SBX_RUNTIME=$PWD/own/r unshare -Urm --propagation private bash -c '
		set -e
		mount --bind mounted mounted
		mount "--make-$1" mounted
		mkdir mounted/later
		"$SBX" import "$2" busybox >own/id
		'"$2"'
		"$SBX" system prune -af >own/pruned' - "$1" "$box"
}

@test "who begins while a new volume is filled finds all of it, and so does who comes after a killed one" {
	local image n first all=()
	mkdir -p tree/data
	(cd tree/data && for i in {1..2000}; do echo "$i" >"f$i"; done)
	cp -a "$(command -v busybox)" tree
	image=$(tar -C tree -c . | sbx import -c 'ENTRYPOINT ["/busybox", "sh", "-c"]' - "$c")
	for n in 1 2 3 4 5 6; do
		sbx run --rm --network none -v "$c:/data" "$image" 'set -- /data/*; echo $#; /busybox cat /data/f2000' >"out$n" 2>&1 3>&- &
		all+=($!)
	done
	wait "${all[@]}"
	for n in 1 2 3 4 5 6; do
		equal "$(cat "out$n")" $'2000\n2000'
	done
	sbx volume rm "$c" >/dev/null
	sbx volume create "$c" >/dev/null
	"$SBX" run --name "$c" --network none -v "$c:/data" "$image" true >/dev/null 2>&1 3>&- &
	first=$!
	eventually eval '[ "$(find "$SBX_ROOT/volumes/$c" | wc -l)" -gt 10 ]'
	kill -9 "$first"
	wait "$first" || true
	equal "$(sbx run --rm --network none -v "$c:/data" "$image" 'set -- /data/*; echo $#; /busybox cat /data/f2000')" $'2000\n2000'
	equal "$(ls "$SBX_ROOT/volumes/$c")" _data
	sbx rm -f "$c" >/dev/null
	sbx volume rm "$c" >/dev/null
	sbx rmi "$image" >/dev/null
}

@test "a volume on a shared mount sees what is mounted later, if it is asked to" {
	# shellcheck disable=SC2016
	run -0 --separate-stderr with_mount shared '
		for p in rslave slave rshared rprivate; do
			"$SBX" run -d --name "c-$p" -v "$PWD/mounted:/d:$p" -v "$PWD:/other" busybox sleep 100000 >own/id
		done
		mount -t tmpfs none mounted/later
		touch mounted/later/seen
		for p in rslave slave rshared rprivate; do
			echo "$p $("$SBX" exec "c-$p" ls /d/later) $("$SBX" exec "c-$p" grep -c " master:\\| shared:" /proc/self/mountinfo || true)"
			"$SBX" rm -f "c-$p" >own/id
		done'
	equal "$output" $'rslave seen 2\nslave seen 2\nrshared seen 2\nrprivate  0'
	equal "$stderr" "WARNING: --volume $PWD/mounted:/d:rshared: rshared is slave here, what is mounted inside is not seen outside"
}

@test "a volume that is to see what is mounted later is refused where its mount tells nobody" {
	# shellcheck disable=SC2016
	run -0 with_mount private '
		for p in rslave slave rshared shared private; do
			"$SBX" run --rm -v "$PWD/mounted:/d:$p" busybox true 2>&1 | head -n 1
		done
		"$SBX" create --name "made" --mount "type=bind,src=$PWD/mounted/later,dst=/d,bind-propagation=rslave" busybox true >own/id
		"$SBX" start made 2>&1 || echo "$?"
		"$SBX" inspect -f "{{.State.Status}} {{.State.ExitCode}} {{.State.Error}}" made'
	at="is mounted on $PWD/mounted but it is not a shared"
	equal "${lines[0]}" "docker: Error response from daemon: path $PWD/mounted $at or slave mount"
	equal "${lines[1]}" "${lines[0]}"
	equal "${lines[2]}" "docker: Error response from daemon: path $PWD/mounted $at mount"
	equal "${lines[3]}" "${lines[2]}"
	equal "${lines[4]}" "Error response from daemon: path $PWD/mounted/later $at or slave mount"
	equal "${lines[5]} ${lines[6]}" "Error: failed to start containers: made 1"
	equal "${lines[7]}" "created 128 path $PWD/mounted/later $at or slave mount"
}
