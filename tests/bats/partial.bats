#!/usr/bin/env bats
# A command that fails or is killed leaves everything as it was

load lib

setup_file() {
	own_store
	sbx import "$box" box:1 >/dev/null
	head -c 600000 /dev/urandom >"$BATS_FILE_TMPDIR/large"
	tar -C "$BATS_FILE_TMPDIR" -cf "$BATS_FILE_TMPDIR/large.tar" large
}

large() {
	echo "$BATS_FILE_TMPDIR/large${1:-}"
}

# held FILE: writes its first half to ./pipe, and the rest after something was written to ./go
held() {
	[ -p pipe ] || mkfifo pipe go
	rm -f drained
	{
		head -c 300000 "$1"
		: >drained
		read -r _ <go
		tail -c +300001 "$1"
	} >pipe 3>&- &
	background+=("$!")
}

# killed ARGS...: kills `sbx ARGS` after it has read the first half of what is held
killed() {
	"$SBX" "$@" <pipe >out 2>&1 3>&- &
	client=$!
	background+=("$client")
	eventually test -e drained
	kill -9 "$client"
	wait "$client" 2>/dev/null || true
}

running_with_old() {
	sbx run -d --name "$c" --network none box:1 sleep 100000 >/dev/null
	sbx exec "$c" sh -c 'mkdir /d; echo old >/d/large; ls -A /d >/before'
}

old_is_there() {
	equal "$(sbx exec "$c" cat /d/large)" old
}

@test "a copy that is cut leaves the file that was there, and nothing beside it" {
	running_with_old
	head -c 300000 "$(large .tar)" >cut.tar
	run -1 --separate-stderr sbx cp - "$c:/d" <cut.tar
	contains "$stderr" "unexpected EOF"
	old_is_there
	equal "$(sbx exec "$c" ls -A /d)" large
	# a new file is not left incomplete
	sbx exec "$c" mkdir /e
	run -1 --separate-stderr sbx cp - "$c:/e" <cut.tar
	equal "$(sbx exec "$c" ls -A /e)" ""
	sbx cp - "$c:/d" <"$(large .tar)"
	sbx exec "$c" cat /d/large | cmp - "$(large)"
	sbx rm -f "$c" >/dev/null
}

@test "a copy that is killed leaves the file that was there" {
	running_with_old
	held "$(large .tar)"
	killed cp - "$c:/d"
	old_is_there
	sbx cp - "$c:/d" <"$(large .tar)"
	sbx exec "$c" cat /d/large | cmp - "$(large)"
	sbx rm -f "$c" >/dev/null
}

@test "a copy out of a container that fails leaves the host's file" {
	sbx create --name "$c" --network none box:1 true >/dev/null
	sbx cp "$(large)" "$c:/large"
	echo old >large
	mkdir large.d
	run -1 --separate-stderr bash -c "trap '' XFSZ; ulimit -f 100; exec '$SBX' cp '$c:/large' large"
	contains "$stderr" "file too large"
	equal "$(cat large)" old
	equal "$(find . -name '.sbx*')" ""
	sbx rm "$c" >/dev/null
}

@test "an import or a load that is killed leaves the image that had the name" {
	sbx tag box:1 "$c:1"
	was=$(sbx image inspect -f '{{.Id}}' "$c:1")
	held "$(large .tar)"
	killed import - "$c:1"
	equal "$(sbx image inspect -f '{{.Id}}' "$c:1")" "$was"
	tar -C "$BATS_FILE_TMPDIR" -c large | sbx import - "$c:2" >/dev/null
	sbx save -o two.tar "$c:2"
	sbx rmi "$c:2" >/dev/null
	end_background || true
	held two.tar
	killed load
	equal "$(sbx images -aq | sort -u)" "$(sbx images -q box:1)"
	sbx load -qi two.tar >/dev/null
	sbx rmi "$c:1" "$c:2" >/dev/null
}

@test "an image that cannot have its name is not there without it, but for one that was" {
	export SBX_ROOT=$PWD/store
	sbx import "$box" box:1 >/dev/null
	sbx run --name "$c" --network none box:1 touch /new
	sbx commit "$c" "$c:1" >/dev/null
	sbx save -o one.tar "$c:1"
	sbx rmi "$c:1" >/dev/null
	find store/images store/layers | sort >before
	mkdir "store/refs/$c:1"
	for words in "import $(large .tar) $c:1" "commit $c $c:1" "load -i one.tar"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sbx $words
		contains "$stderr" "write the reference $c:1: "
		find store/images store/layers | sort | diff before -
	done
	equal "$(sbx image inspect -f '{{.RepoTags}}' box:1)" "[box:1]"
	rmdir "store/refs/$c:1"
	sbx load -qi one.tar >/dev/null
	id=$(sbx image inspect -f '{{.Id}}' "$c:1")
	mv "store/refs/$c:1" kept
	mkdir "store/refs/$c:1"
	run -1 sbx load -i one.tar
	sbx image inspect "$id" >/dev/null
	rmdir "store/refs/$c:1"
	mv kept "store/refs/$c:1"
	sbx rm "$c" >/dev/null
}

half_made() {
	find "$SBX_ROOT/layers" -name 'tmp-*' | grep -q .
}

pruned() {
	sbx image prune -f >/dev/null
	! half_made
}

@test "what an import or a load that is killed was making goes with the next prune, and that of one at work stays" {
	tar -C "$BATS_FILE_TMPDIR" -c large | sbx import - "$c:1" >/dev/null
	sbx save -o one.tar "$c:1"
	sbx rmi "$c:1" >/dev/null
	for what in "import - $c:2" load; do
		held one.tar
		# shellcheck disable=SC2086
		killed $what
		half_made
		eventually pruned
		end_background || true
		held one.tar
		# shellcheck disable=SC2086
		input=pipe behind $what
		eventually test -e drained
		eventually half_made
		sbx image prune -f >/dev/null
		half_made
		echo go >go
		client_ends
		equal "$status" 0
		end_background || true
	done
	half_made && return 1
	sbx rmi "$c:1" "$c:2" >/dev/null
}

# Killed at many moments, each a little later.
@test "a save, an export, a commit or a rename that is killed has happened or has not" {
	sbx run --name "$c" --network none -v "$BATS_FILE_TMPDIR:/mnt:ro" box:1 cp /mnt/large / >/dev/null
	sbx export "$c" >whole.tar
	sbx save box:1 >image.tar
	sbx tag box:1 "$c:1"
	for i in {1..12}; do
		echo old >export.tar
		echo old >save.tar
		for what in "export -o export.tar $c" "save -o save.tar box:1" "commit $c $c:1" "rename $c $c-new"; do
			# shellcheck disable=SC2086
			"$SBX" $what >/dev/null 2>&1 3>&- &
			read -rt "0.00$((i * 7))" _ <>"$BATS_FILE_TMPDIR/never" || true
			kill -9 $! 2>/dev/null || true
			wait $! 2>/dev/null || true
		done
		[ "$(cat export.tar)" = old ] || cmp export.tar whole.tar
		[ "$(cat save.tar)" = old ] || cmp save.tar image.tar
		equal "$(sbx run --rm --network none "$c:1" echo works)" works
		# it has one name, which works, and the other name is free
		names=$(sbx ps -a --format '{{.Names}}')
		[ "$names" = "$c" ] || [ "$names" = "$c-new" ]
		sbx inspect "$names" >/dev/null
		[ "$names" = "$c" ] || eventually sbx rename "$c-new" "$c"
	done
	equal "$(find . -name '*.tmp-*')" ""
	# the name that a killed rename was to give is free
	sbx create --name "$c-new" --network none box:1 true >/dev/null
	sbx rm "$c" "$c-new" >/dev/null
	sbx rmi -f "$c:1" >/dev/null
}

# written ARGS...: the file that the container $c wrote is there
written() {
	equal "$("$@" cp "$c:/new" - | tar -xO)" kept
	"$@" export "$c" | tar -t | grep -qx new
	equal "$("$@" start -a "$c")" kept
}

@test "a working directory that a killed command took away is made again, and nothing is missing" {
	id=$(sbx create --name "$c" --network none box:1 sh -c '[ -e /new ] || echo kept >/new; cat /new')
	sbx start -a "$c"
	chmod -R u+rwx "$SBX_ROOT/containers/$id/work"
	rm -r "$SBX_ROOT/containers/$id/work"
	written sbx
	[ ! -e "$SBX_ROOT/containers/$id/rootfs" ]
	sbx rm "$c" >/dev/null
}

@test "what a container wrote is not lost where there is no overlay, nor where there is one again" {
	sbx create --name "$c" --network none box:1 sh -c '[ -e /new ] || echo kept >/new; cat /new' >/dev/null
	sbx start -a "$c"
	for what in "start -a $c" "export $c" "cp $c:/new -"; do
		# shellcheck disable=SC2086
		run ! --separate-stderr env SBX_OVERLAY=off "$SBX" $what
		contains "$stderr" "by overlay only: overlay is off"
	done
	written sbx
	sbx rm "$c" >/dev/null
	# a container that has a private copy keeps it
	sbx create --name "$c" --network none box:1 sh -c '[ -e /new ] || echo kept >/new; cat /new' >/dev/null
	SBX_OVERLAY=off "$SBX" start -a "$c"
	written sbx
	written env SBX_OVERLAY=off "$SBX"
	sbx rm "$c" >/dev/null
}

@test "what a container wrote is where it wrote it, whatever SBX_SCRATCH is later; gone, it is missed aloud" {
	mkdir one other
	for first in "$PWD/one" ""; do
		sbx create --name "$c" --network none box:1 sh -c '[ -e /new ] || echo kept >/new; cat /new' >/dev/null
		env ${first:+"SBX_SCRATCH=$first"} "$SBX" start -a "$c"
		written sbx
		written env "SBX_SCRATCH=$PWD/other" "$SBX"
		contains "$(SBX_SCRATCH=$PWD/other sbx diff "$c")" "A /new"
		sbx rm "$c" >/dev/null
	done
	equal "$(ls one/* other/* 2>/dev/null | grep -v :)" ""
	sbx create --name "$c" --network none box:1 sh -c 'echo kept >/new' >/dev/null
	SBX_SCRATCH=$PWD/one sbx start -a "$c"
	chmod -R u+rwx one
	rm -r one
	for what in "start -a $c" "export $c" "cp $c:/new -"; do
		# shellcheck disable=SC2086
		run ! --separate-stderr "$SBX" $what
		contains "$stderr" "has written was in $PWD/one/"
	done
	sbx rm "$c" >/dev/null
}

@test "a place for writable layers that somebody else made is not taken" {
	mkdir -p "scratch/sbx-layers-$(id -u)"
	chmod 777 scratch/*
	run -125 --separate-stderr env "SBX_SCRATCH=$PWD/scratch" "$SBX" run --rm --name "$c" --network none box:1 true
	contains "$stderr" "is not yours alone"
	missing "$c"
	chmod 700 scratch/*
	equal "$(SBX_SCRATCH=$PWD/scratch sbx run --rm --network none box:1 echo works)" works
}

# killed_supervisor ID
killed_supervisor() {
	local pid
	pid=$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$1")/status")
	kill -9 "$pid"
	eventually gone "$pid"
}

@test "a container of --rm whose supervisor was killed takes the volumes that nobody named along" {
	export SBX_ROOT=$PWD/store
	sbx import "$box" box:1 >/dev/null
	for what in "ps -a" ps "volume ls" "inspect $c" "rm -f $c" "volume prune -f" "system df"; do
		sbx run -d --rm --name "$c" --network none -v /anonymous -v named:/named box:1 sleep 100000 >/dev/null
		sbx run -d --rm --name "$c-other" --network none -v /other box:1 sleep 100000 >/dev/null
		for name in "$c" "$c-other"; do
			killed_supervisor "$name"
		done
		# shellcheck disable=SC2086 # several words
		sbx $what >/dev/null 2>&1 || true
		sbx ps -aq >/dev/null
		equal "$(sbx volume ls -q)" named
		missing "$c"
	done
	# a volume that another container has, too, stays
	sbx run -d --rm --name "$c" --network none -v /anonymous box:1 sleep 100000 >/dev/null
	sbx create --name "$c-other" --network none --volumes-from "$c" box:1 true >/dev/null
	killed_supervisor "$c"
	sbx ps -aq >/dev/null
	missing "$c"
	equal "$(sbx volume ls -q | wc -l)" 2
	sbx start -a "$c-other"
	sbx rm -v "$c-other" >/dev/null
	equal "$(sbx volume ls -q)" named
}

@test "a container of --rm whose supervisor was killed takes its writable layer elsewhere along" {
	export SBX_ROOT=$PWD/store SBX_SCRATCH=$PWD/scratch
	mkdir scratch
	sbx import "$box" box:1 >/dev/null
	sbx run -d --rm --name "$c" --network none box:1 sleep 100000 >/dev/null
	[ -n "$(ls scratch/*)" ]
	killed_supervisor "$c"
	sbx ps -aq >/dev/null
	missing "$c"
	equal "$(ls scratch/*)" ""
	# a removal was killed after it had renamed the container's directory
	id=$(sbx create --network none box:1 touch /new)
	sbx start "$id" >/dev/null
	sbx wait "$id" >/dev/null
	[ -n "$(ls scratch/*)" ]
	mv "$SBX_ROOT/containers/$id" "$SBX_ROOT/containers/.rm-$id"
	sbx ps -aq >/dev/null
	equal "$(ls scratch/*)" ""
}

@test "what a killed supervisor, or creator, was about to remove goes with its volumes" {
	export SBX_ROOT=$PWD/store
	sbx import "$box" box:1 >/dev/null
	for mark in .rmv- .new-; do
		for what in "ps -a" "inspect none" "system df" "volume prune -f --filter label=none"; do
			id=$(sbx create --name "$c" --network none -v /anonymous -v named:/named box:1 true)
			shared=$(sbx create --network none -v /shared box:1 true)
			other=$(sbx create --network none --volumes-from "$shared" box:1 true)
			mv "$SBX_ROOT/containers/$id" "$SBX_ROOT/containers/$mark$id"
			mv "$SBX_ROOT/containers/$shared" "$SBX_ROOT/containers/$mark$shared"
			# shellcheck disable=SC2086 # several words
			sbx $what >/dev/null 2>&1 || true
			sbx ps -aq >/dev/null
			equal "$(sbx volume ls -q | wc -l)" 2
			sbx rm -v "$other" >/dev/null
			equal "$(sbx volume ls -q)" named
			equal "$(ls -A "$SBX_ROOT/containers")" ""
			equal "$(ls -A "$SBX_ROOT/names")" ""
		done
	done
}

@test "a create for which descriptors do not suffice leaves no volume that nobody named" {
	export SBX_ROOT=$PWD/store
	sbx import "$box" box:1 >/dev/null
	sbx run -d --name "$c" --network none box:1 sleep 100000 >/dev/null # keeps the image server
	had=$(sbx ps -aq)
	for n in {5..40} 256; do
		bash -c 'exec 3>&-; ulimit -n "$1"; exec "$0" create --name "$2" -v /anonymous box:1 true' "$SBX" "$n" "$c-new" >out 2>&1 &&
			sbx rm -v "$c-new" >/dev/null
		bash -c 'exec 3>&-; ulimit -n "$1"; exec "$0" run --rm -v /anonymous box:1 true' "$SBX" "$n" >out 2>&1 && worked=$n
		equal "$(sbx volume ls -q)" ""
		equal "$(sbx ps -aq)" "$had"
	done
	equal "$worked" 256
	sbx rm -f "$c" >/dev/null
}

@test "an export of a context that is cut leaves no half file" {
	export DOCKER_CONFIG=$PWD/none
	echo old >old
	run -1 --separate-stderr sbx context export default old
	equal "$stderr" "open old: file exists"
	equal "$(cat old)" old
	run -1 --separate-stderr bash -c "trap '' XFSZ; ulimit -f 1; exec '$SBX' context export default new"
	equal "$stderr" "write new: file too large"
	[ ! -e new ]
}

# As root of a user namespace, the test mounts a small disk.
@test "a full disk fails everything, and takes nothing away" {
	cat >inside <<-'END'
		set -e
		sbx() { "$SBX" "$@"; }
		mkdir small && mount -t tmpfs -o size=12m none small || exit 77
		export SBX_ROOT=$PWD/small/d SBX_RUNTIME=$PWD/small/r
		sbx import "$1" name:1 >/dev/null
		sbx run --name cc --network none name:1 sh -c 'head -c 400000 /dev/urandom >/new; echo old >/large' >/dev/null
		sbx run --name dd --network none name:1 true
		sbx volume create kept >/dev/null
		sbx network create kept >/dev/null
		tar -C "$(dirname "$2")" -c large | sbx import - other:1 >/dev/null
		sbx save -o other.tar other:1
		sbx commit cc third:1 >/dev/null
		sbx save -o two.tar other:1 third:1
		sbx rmi other:1 third:1 >/dev/null
		echo old >small/file
		id=$(sbx images -q --no-trunc name:1)
		# once, so that caches exist
		sbx cp dd:/bin/true - >/dev/null
		rm -rf small/d/spare
		head -c 12000000 /dev/zero >small/fill 2>/dev/null || true
		truncate -s -200000 small/fill
		ls -R small/d >before
		fails() {
			if "$SBX" "$@" >out 2>err; then
				echo "it worked: $*"
				exit 1
			fi
			cat err
			grep -qi 'no space left on device' err || { echo "wrong words: $*"; exit 1; }
		}
		fails save -o small/file name:1
		[ "$(cat err)" = "write small/file: no space left on device" ]
		fails export -o small/file cc
		[ "$(cat err)" = "write small/file: no space left on device" ]
		fails cp "$2" cc:/large
		[ "$(cat err)" = "Error response from daemon: write /large: no space left on device" ]
		mkdir -p tree/dir/empty tree/dir/sub && cp "$2" tree/dir/sub
		fails cp tree cc:/
		fails cp tree cc:/tree
		fails cp cc:/bin/busybox small/file
		fails import "$2.tar" name:1
		fails load -i other.tar
		fails commit cc name:1
		fails load -i two.tar
		head -c 12000000 /dev/zero >>small/fill 2>/dev/null || true
		fails volume create --label a=b new
		for what in 'create --name ff name:1 true' 'create --name ff -v /anonymous name:1 true' 'rename dd xx' \
			'update --restart always dd' 'tag name:1 tagged:1' 'network create net'; do
			fails $what
			[ "$(grep -oF "$PWD/small/d" err | wc -l)" = 1 ] || { echo "not the place, once: $what"; exit 1; }
		done
		fails run --rm --name ff name:1 true
		fails run --rm --name ff -v new:/v name:1 true
		sbx volume rm -f new >/dev/null
		truncate -s -200000 small/fill
		ls -R small/d >after
		diff before after
		ls small
		[ "$(cat small/file)" = old ]
		[ "$(sbx images -q --no-trunc)" = "$id" ]
		[ "$(sbx cp cc:/large - | tar -xO)" = old ]
		sbx rename dd ee && [ "$(sbx ps -a --format '{{.Names}}' | sort | xargs)" = 'cc ee' ]
		rm small/fill
		sbx commit cc name:1 >/dev/null
		sbx run --rm --network none name:1 sh -c 'wc -c </new'
		sbx rm cc ee >/dev/null
	END
	export SBX
	run -0 unshare -Urm --propagation private bash inside "$box" "$(large)"
	equal "${lines[-1]}" 400000
}

@test "a store that cannot be written says so, and loses nothing" {
	cat >inside <<-'END'
		set -e
		sbx() { "$SBX" "$@"; }
		mkdir there
		export SBX_ROOT=$PWD/there/d SBX_RUNTIME=$PWD/there/r
		sbx import "$1" name:1 >/dev/null
		sbx save -o name.tar name:1
		sbx run --name cc --network none name:1 sh -c 'echo old >/large' >/dev/null
		sbx volume create vv >/dev/null
		ls -R there/d >before
		mount --bind there/d there/d && mount -o remount,ro,bind there/d || exit 77
		# fails STATUS ARGS...: runs sbx
		fails() {
			local status=0
			"$SBX" "${@:2}" >out 2>err </dev/null || status=$?
			cat err
			[ "$status" = "$1" ] || { echo "status $status: ${*:2}"; exit 1; }
			[ "$(grep -ci 'read-only file system$' err)" = 1 ] || { echo "wrong words: ${*:2}"; exit 1; }
			grep -qF "$PWD/there/d" err || { echo "no place: ${*:2}"; exit 1; }
		}
		fails 1 load -i name.tar
		fails 1 import "$2.tar" other:1
		fails 1 import "$1" other:1
		fails 1 commit cc other:1
		fails 1 cp "$2" cc:/large
		fails 1 start cc
		fails 1 volume create new
		fails 1 volume create --label a=b
		fails 1 volume rm vv
		fails 1 create name:1 true
		fails 125 run --rm name:1 true
		fails 125 run --rm -v new:/v name:1 true
		fails 125 run -d -v vv:/v name:1 true
		sbx save -o again.tar name:1
		cmp name.tar again.tar
		for what in images 'ps -a' 'volume ls' 'system df' 'logs cc' 'inspect cc' 'image prune -f' 'volume prune -f'; do
			sbx $what >/dev/null
		done
		mount -o remount,rw,bind there/d
		ls -R there/d | diff before -
		[ "$(sbx cp cc:/large - | tar -xO)" = old ]
		sbx rm cc >/dev/null
	END
	export SBX
	run -0 unshare -Urm --propagation private bash inside "$box" "$(large)"
}
