#!/usr/bin/env bats
# commit, diff and export: what a container changed

load lib

setup_file() {
	own_store
	sbx import "$box" box:1 >/dev/null
}

image=box:1

changed() {
	sbx run --name "$c" --network none "$@" "$image" sh -c '
		rm -r /etc; mkdir -p /etc/new; echo x >/etc/new/f; ln /etc/new/f /etc/new/g
		ln -s f /etc/new/l; chmod 700 /tmp; mkfifo /p' >/dev/null
}

@test "diff tells what was added, changed and deleted, in order" {
	changed
	sbx diff "$c" >out
	grep -qx 'C /tmp' out
	grep -qx 'A /p' out
	grep -qx 'A /etc/new/f' out
	sort -k 2 -c out
}

@test "what is as it was is not told: a directory something came and went in, a file whose rights were set or that was linked" {
	sbx run --name "$c" --network none "$image" sh -c 'touch /tmp/x; rm /tmp/x; chmod 755 /root; chmod 644 /etc/group
		ln /etc/group /l; cp -p /etc/passwd /p; mv /p /etc/passwd' >/dev/null
	equal "$(sbx diff "$c")" "A /l"
	sbx rm "$c" >/dev/null
}

@test "diff, commit and export of one that exchanges directories for other things meanwhile" {
	sbx run -d --name "$c" "$py" python3 -c '
import ctypes, os
os.mkdir("/r")
os.chdir("/r")
for n in range(200):
    os.mkdir("d%d" % n)
open("f", "w")
exchange = ctypes.CDLL(None).renameat2
while True:
    for n in range(200):
        for _ in range(20):
            exchange(-100, b"d%d" % n, -100, b"f", 2)
    open("/up", "w")'
	eventually sbx exec "$c" test -e /up
	for _ in {1..40}; do
		sbx diff "$c" >told
		grep -qx "A /r" told
		sbx export "$c" | tar tf - >/dev/null
	done
	sbx commit "$c" "$c-i" >/dev/null
	sbx rmi "$c-i" >/dev/null
	sbx rm -f "$c" >/dev/null
}

@test "diff of a running container, and of a created one" {
	sbx create --name "$c" --network none "$image" sleep 1000 >/dev/null
	[ -z "$(sbx diff "$c")" ]
	sbx start "$c" >/dev/null
	sbx exec "$c" touch /new
	[ "$(sbx diff "$c")" = "A /new" ]
	sbx rm -f "$c" >/dev/null
}

@test "what a container deleted stays deleted in its image, and in an image of that" {
	changed
	sbx commit "$c" "$c:1" >/dev/null
	sbx run --name "$c-2" --network none "$c:1" rm -r /etc/new >/dev/null
	sbx commit "$c-2" "$c:2" >/dev/null
	run sbx run --rm --network none "$c:1" sh -c 'cd /etc/new; ls; readlink l; [ f -ef g ] && echo one; stat -c %a /tmp'
	[ "$output" = "$(printf 'f\ng\nl\nf\none\n700')" ]
	run sbx run --rm --network none "$c:2" sh -c '[ -e /etc/new ] || echo gone'
	[ "$output" = gone ]
	[ "$(sbx image inspect -f '{{len .RootFS.Layers}}' "$c:2")" = 3 ]
	sbx rm "$c-2" >/dev/null
	sbx rmi -f "$c:1" "$c:2" >/dev/null
}

@test "a container which changed nothing gives an image without a further layer" {
	sbx create --name "$c" --network none "$image" true >/dev/null
	sbx commit "$c" "$c:1" >/dev/null
	[ "$(sbx image inspect -f '{{len .RootFS.Layers}}' "$c:1")" = 1 ]
	sbx rmi -f "$c:1" >/dev/null
}

@test "export gives the files without the volumes and the kernel's" {
	sbx run --name "$c-i" --network none "$image" sh -c 'echo x >/root/below' >/dev/null
	sbx commit "$c-i" "$c:below" >/dev/null
	mkdir covers && echo x >covers/f
	sbx run -d --name "$c" --network none -v /vol -v "$PWD/covers:/root" -v "$PWD/covers:/home" "$c:below" \
		sh -c 'echo v >/vol/f; echo x >/x; echo ready; sleep 1000' >/dev/null
	eventually sh -c "[ \"\$('$SBX' logs $c)\" = ready ]"
	sbx export "$c" >running.tar
	sbx rm -fv "$c" "$c-i" >/dev/null
	sbx rmi "$c:below" >/dev/null
	tar -tf running.tar >names
	grep -qx x names
	run -1 grep '^vol/f' names
	run -1 grep '^home/f' names
	grep -qx root/below names # though a volume covers it in the container
	run -1 grep '^proc/.' names
	run -1 grep '^dev/null' names
	run -1 --separate-stderr sbx export "$c"
	[[ $stderr == *"No such container"* ]]
}

@test "export to a file leaves nothing when it fails" {
	run -1 --separate-stderr sbx export -o out "no-$c"
	[ -z "$(ls -d out* 2>/dev/null)" ]
	run -1 --separate-stderr sbx export -o no/such/out "$c"
	[[ $stderr == *"invalid output path"* ]]
}

# private ARGS...: runs sbx without overlayfs, so that each container has a copy of its image
private() {
	SBX_OVERLAY=off "$SBX" "$@"
}

@test "a private copy of the image tells the same changes as an overlay, and commits to the same files" {
	make_changes='mkdir /d /d/sub; rm -r /home; echo file >/home; rm /bin/vi; rm -r /usr/share; mkdir /usr/share
		mkdir -p /etc/new/deep; echo x >/etc/new/f; ln /etc/new/f /etc/new/g; ln -s f /etc/new/l
		chmod 700 /tmp; mkfifo /p; mkdir /root/x; rmdir /root/x; touch /bin/sh; : >"/with
newline"'
	sbx run --name "$c" --network none -v /vol "$image" sh -c "$make_changes" >/dev/null
	private run --name "$c-p" --network none -v /vol "$image" sh -c "$make_changes" >/dev/null
	sbx diff "$c" >want
	private diff "$c-p" | grep -vx "C /root" >got # of a copy's directory it is not known what was changed
	diff want got
	grep -qx 'D /usr/bin/vi' got
	sbx commit "$c" "$c:1" >/dev/null
	private commit "$c-p" "$c:2" >/dev/null
	for i in 1 2; do
		sbx export "$(sbx create --network none --name "$c-$i" "$c:$i" true)" | tar -tv | sed -E 's/ [0-9]+-[0-9]+-[0-9]+ [0-9:]+ / /' >"files.$i"
	done
	diff files.1 files.2
	# and an image of two layers is copied as one
	run -0 private run --rm --network none "$c:2" sh -c 'cat /home /etc/new/g; ls -d /usr/bin/vi || echo gone'
	contains "$output" "$(printf 'file\nx')"
	contains "$output" gone
	sbx rm -v "$c" "$c-p" "$c-1" "$c-2" >/dev/null
	sbx rmi "$c:1" "$c:2" >/dev/null
}

@test "a private copy of a container that never ran, or changed nothing, has no changes" {
	private create --name "$c" --network none "$image" sleep 1000 >/dev/null
	equal "$(private diff "$c")" ""
	private start "$c" >/dev/null
	equal "$(private diff "$c")" ""
	# other content is a change even if size and time are the same
	private exec "$c" sh -c 'stat -c %y /etc/passwd >/dev/shm/t; tr a b </etc/passwd >/dev/shm/p
		cat /dev/shm/p >/etc/passwd; touch -d "$(cut -d . -f 1 /dev/shm/t)" /etc/passwd'
	equal "$(private diff "$c")" "$(printf 'C /etc\nC /etc/passwd')"
	private rm -f "$c" >/dev/null
}

@test "a private copy of which nothing is known is refused" {
	id=$(private run -d --name "$c" --network none "$image" sleep 1000)
	rm "$SBX_ROOT/containers/$id/rootfs.census"
	run -1 --separate-stderr private diff "$c"
	contains "$stderr" "what it changed is not known apart"
	run -1 --separate-stderr private commit "$c" "$c:1"
	contains "$stderr" "what it changed is not known apart"
	run -1 --separate-stderr sbx image inspect "$c:1"
	private rm -f "$c" >/dev/null
}

@test "directories deeper than descriptors may be open are exported, copied, committed and told of" {
	local depth way
	for way in sbx private; do
		$way run --name "$c" --network none "$image" sh -c 'i=0
			while [ $i -lt 1000 ]; do mkdir d && cd d || exit 1; i=$((i + 1)); done; echo x >f; mkdir ../e' >/dev/null
		(
			ulimit -Sn 64
			$way export "$c" | tar -t >exported
			$way cp "$c:/d" - | tar -t >copied
			$way diff "$c" >told
			$way commit "$c" "$c:1" >/dev/null
			$way run --rm --network none -v "$c:/d" "$c:1" true
		)
		sbx run --rm --network none -v "$c:/d" "$c:1" sh -c 'cd /d; i=1; while cd d 2>/dev/null; do i=$((i + 1)); done; echo $i' >filled
		equal "$(<filled)" 1000
		sbx volume rm "$c" >/dev/null
		for depth in exported copied told; do
			equal "$(grep -c '^[AC/ ]*\(d/*\)*$' "$depth")" 1000
			equal "$(grep -c '[^ef]/[ef]/*$' "$depth")" 2
		done
		equal "$(sbx run --rm --network none "$c:1" sh -c 'i=0; while cd d 2>/dev/null; do i=$((i + 1)); done; echo $i; cat f; ls ..')" \
			$'1000\nx\nd\ne'
		sbx rm "$c" >/dev/null
		sbx rmi "$c:1" >/dev/null
	done
}

# commits FROM TO: makes an image of a container that did nothing
commits() {
	sbx create --name "$c" --network none "$1" true >/dev/null
	sbx commit "$c" "$2"
	sbx rm "$c" >/dev/null
}

@test "a committed image knows its parent, which only loses its name and goes with its last child" {
	local first second own
	own=$(sbx image inspect -f '{{.Id}}' "$image")
	first=$(commits "$image" "$c:1")
	second=$(commits "$c:1" "$c:2")
	equal "$(sbx image inspect -f '{{.Parent}}' "$image" "$c:1" "$c:2")" $'\n'"$own"$'\n'"$first"
	equal "$(sbx history --no-trunc -q "$c:2" | head -n 3)" "$second"$'\n'"$first"$'\n'"$own"
	run -1 --separate-stderr sbx rmi -f "$first"
	equal "$stderr" "Error response from daemon: conflict: unable to delete ${first:7:12} (cannot be forced) - image has dependent child images"
	equal "$(sbx rmi "$c:1")" "Untagged: $c:1"
	# it has no name but is in use, so it is listed with -a only
	lacks "$(sbx images -q --no-trunc)" "$first"
	contains "$(sbx images -aq --no-trunc)" "$first"
	equal "$(sbx images -q -f dangling=true)" ""
	sbx image prune -f >/dev/null
	equal "$(sbx image inspect -f '{{.Parent}}' "$c:2")" "$first"
	equal "$(sbx rmi "$c:2" | head -n 3)" "Untagged: $c:2"$'\n'"Deleted: $second"$'\n'"Deleted: $first"
	equal "$(sbx image inspect -f '{{.Id}}' "$image")" "$own"
}

@test "rmi --no-prune keeps a nameless parent, and prune takes it" {
	local first
	first=$(commits "$image" "$c:1")
	commits "$c:1" "$c:2" >/dev/null
	sbx rmi "$c:1" >/dev/null
	sbx rmi --no-prune "$c:2" >/dev/null
	contains "$(sbx images -q --no-trunc -f dangling=true)" "$first"
	contains "$(sbx image prune -f)" "deleted: $first"
	lacks "$(sbx images -aq --no-trunc)" "$first"
}

paused() {
	equal "$(sbx inspect -f '{{.State.Paused}}' "$c")" "$1"
}

@test "a commit that is killed leaves no container paused" {
	# it takes so long to read that commit is killed before it is done, but makes a small image
	sbx run -d --name "$c" "$image" sh -c 'truncate -s 60G /hole; exec sleep 100000' >/dev/null
	eventually sbx exec "$c" test -s /hole
	"$SBX" commit "$c" "img$c" >/dev/null 2>&1 &
	committing=$!
	eventually paused true
	kill -9 "$committing"
	eventually paused false
	sbx rm -f "$c"
}

@test "what is committed while its container is removed is whole, or refused" {
	mkdir scratch
	for place in "" "" "$PWD/scratch" "$PWD/scratch"; do # where its writable layer is
		SBX_SCRATCH=$place sbx run -d --name "$c" "$image" sh -c '
			mkdir /d; for i in $(seq 3000); do echo >/d/$i; done; touch /ready; exec sleep 100000' >/dev/null
		eventually sbx exec "$c" test -e /ready
		"$SBX" commit "$c" "img$c" >out 2>&1 &
		committing=$!
		sbx rm -f "$c" >/dev/null
		if wait "$committing"; then
			equal "$(sbx run --rm "img$c" sh -c 'ls /d | wc -l')" 3000
			sbx rmi "img$c" >/dev/null
		else
			grep -qE 'daemon: (You cannot commit container [0-9a-f]{64} which is being removed|No such container: .*)$' out
		fi
	done
}

@test "a container of a squashfs file by its path becomes an image of two layers, the file and what was changed" {
	cp "$box" "$c.sqsh"
	sbx run --name "$c" --network none "./$c.sqsh" sh -c 'echo x >/f; rm -r /var' >/dev/null
	for tag in 1 2; do
		sbx commit "$c" "$c:$tag" >/dev/null
		[ "$(sbx run --rm --network none "$c:$tag" sh -c 'cat /f; ls -d /var 2>&1 | grep -c "No such"')" = $'x\n1' ]
	done
	[ "$(sbx inspect -f '{{len .RootFS.Layers}}' "$c:1")" = 2 ]
	[ "$(sbx inspect -f '{{index .RootFS.Layers 0}}' "$c:1")" = "$(sbx inspect -f '{{index .RootFS.Layers 0}}' box:1)" ]
	sbx rmi "$c:1" "$c:2" >/dev/null
}

@test "a file that is no longer what the container was made of is not committed, and nothing stays of that" {
	cp "$box" "$c.sqsh"
	sbx run --name "$c" --network none "./$c.sqsh" touch /f
	touch -d '2 days ago' "$c.sqsh"
	before=$(find "$SBX_ROOT/layers" "$SBX_ROOT/images")
	run -1 sbx commit "$c" "$c:1"
	[ "$output" = "Error response from daemon: its image ./$c.sqsh is not in the store, nor still the file that it was" ]
	[ "$(find "$SBX_ROOT/layers" "$SBX_ROOT/images")" = "$before" ]
}

@test "diff tells that a name is too long to be told" {
	sbx run --name "$c" "$py" python3 -c '
import os
for i in range(200): os.mkdir("a" * 200); os.chdir("a" * 200)'
	run -1 sbx diff "$c"
	equal "$output" "Error response from daemon: a name of more than 29998 bytes"
}
