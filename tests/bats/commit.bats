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
	sbx run -d --name "$c" --network none -v /vol "$image" sh -c 'echo v >/vol/f; echo x >/x; echo ready; sleep 1000' >/dev/null
	eventually sh -c "[ \"\$('$SBX' logs $c)\" = ready ]"
	sbx export "$c" >running.tar
	sbx rm -f "$c" >/dev/null
	tar -tf running.tar >names
	grep -qx x names
	! grep -q '^vol/f' names
	! grep -q '^proc/.' names
	! grep -q '^dev/null' names
	run -1 --separate-stderr sbx export "$c"
	[[ $stderr == *"No such container"* ]]
}

@test "export to a file leaves nothing when it fails" {
	run -1 --separate-stderr sbx export -o out "no-$c"
	[ -z "$(ls -d out* 2>/dev/null)" ]
	run -1 --separate-stderr sbx export -o no/such/out "$c"
	[[ $stderr == *"invalid output path"* ]]
}
