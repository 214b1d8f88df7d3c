load lib

@test "a volume is made, listed, shown and removed" {
	equal "$(sbx volume create --label k=v "v$c")" "v$c"
	equal "$(sbx volume create "v$c")" "v$c"
	equal "$(sbx volume ls --filter "name=v$c" --format '{{.Driver}} {{.Name}} {{.Label "k"}}')" "local v$c v"
	equal "$(sbx volume ls | head -n 1)" "DRIVER    VOLUME NAME"
	sbx volume inspect "v$c" | python3 -c '
import json, sys
v, = json.load(sys.stdin)
assert v["Driver"] == "local" and v["Scope"] == "local" and v["Labels"] == {"k": "v"} and v["Options"] is None, v
assert v["Mountpoint"].endswith("/_data") and v["CreatedAt"].endswith("Z"), v
assert list(v) == ["CreatedAt", "Driver", "Labels", "Mountpoint", "Name", "Options", "Scope"], v'
	[ -d "$(sbx volume inspect -f '{{.Mountpoint}}' "v$c")" ]
	equal "$(sbx inspect --type volume -f '{{.Name}}' "v$c")" "v$c"
	equal "$(sbx inspect -f '{{.Name}}' "v$c")" "v$c"
	equal "$(sbx volume rm "v$c")" "v$c"
	[ ! -e "$SBX_ROOT/volumes/v$c" ]
}

@test "a volume without a name gets 64 hexadecimal digits and is anonymous" {
	name=$(sbx volume create)
	[[ $name =~ ^[0-9a-f]{64}$ ]]
	equal "$(sbx volume inspect -f '{{json .Labels}}' "$name")" '{"com.docker.volume.anonymous":""}'
	sbx volume rm "$name"
}

@test "a volume which a container uses, even a stopped one, cannot be removed" {
	id=$(sbx create --name "$c" -v "v$c:/d" "$box" true)
	run -1 --separate-stderr sbx volume rm "v$c"
	equal "$stderr" "Error response from daemon: remove v$c: volume is in use - [$id]"
	run -1 sbx volume rm -f "v$c"
	lacks "$(sbx volume ls -q --filter dangling=true)" "v$c"
	contains "$(sbx volume ls -q --filter dangling=false)" "v$c"
	sbx rm "$c"
	contains "$(sbx volume ls -q --filter dangling=true)" "v$c"
	sbx volume rm "v$c"
}

@test "what is not there is said in docker's words" {
	run -1 --separate-stderr sbx volume inspect "no$c"
	equal "$output" "[]"
	equal "$stderr" "Error response from daemon: get no$c: no such volume"
	run -1 --separate-stderr sbx volume rm "no$c"
	equal "$stderr" "Error response from daemon: get no$c: no such volume"
	equal "$(sbx volume rm -f "no$c")" "no$c"
	run -1 --separate-stderr sbx volume create ../up
	contains "$stderr" 'includes invalid characters for a local volume name'
	run -1 --separate-stderr sbx volume inspect ../../containers
	equal "$stderr" 'Error response from daemon: page not found'
	run -1 --separate-stderr sbx volume create -d nosuch "no$c"
	equal "$stderr" "Error response from daemon: create no$c: error looking up volume plugin nosuch: plugin \"nosuch\" not found"
	run -1 --separate-stderr sbx volume ls --filter bad=1
	contains "$stderr" "nvalid filter 'bad'"
}

@test "a volume can be a directory of the host's" {
	mkdir host && echo here >host/f
	sbx volume create -o type=none -o o=bind -o "device=$PWD/host" "v$c"
	equal "$(sbx run --rm -v "v$c:/d" "$box" cat /d/f)" here
	sbx volume rm "v$c"
	[ -f host/f ]
	run -1 sbx volume create -o foo=bar "v$c"
	contains "$output" 'invalid option: "foo"'
	run -1 sbx volume create -o type=tmpfs "v$c"
	contains "$output" 'missing required option: "device"'
}

@test "a volume can be a tmpfs, a new one at each start, which no volume's directory gets anything of" {
	sbx volume create -o type=tmpfs -o device=tmpfs -o o=size=64k,mode=0750 "v$c"
	sbx run -d --name "$c" -v "v$c:/d" "$box" sh -c 'ls /d; touch /d/made; stat -c "%a" /d; exec sleep 100000'
	eventually sbx exec "$c" test -e /d/made
	sbx exec "$c" touch /d/more
	echo here >f
	sbx cp f "$c:/d/"
	equal "$(sbx exec "$c" ls /d)" "$(printf 'f\nmade\nmore')"
	sbx restart -t 0 "$c"
	run sbx exec "$c" ls /d
	[[ $output != *more* ]]
	[ -z "$(ls -A "$(sbx volume inspect -f '{{.Mountpoint}}' "v$c")")" ]
	run -0 sbx run --rm -v "v$c:/etc" "$box" sh -c 'ls /etc/passwd 2>/dev/null || echo "nothing of the image"'
	equal "$output" "nothing of the image"
	sbx rm -f "$c"
	sbx volume rm "v$c"
}

@test "volume prune passes over volumes whose options say what is mounted" {
	sbx volume create --label "l$c" "plain$c"
	sbx volume create --label "l$c" -o type=tmpfs -o device=tmpfs "v$c"
	contains "$(sbx volume prune -af --filter "label=l$c")" "plain$c"
	equal "$(sbx volume ls -q --filter "label=l$c")" "v$c"
	sbx volume rm "v$c"
}

@test "the anonymous volume of a container ends with --rm, with rm -v, and not else" {
	sbx run --rm -v /x "$box" touch /x/f
	sbx run --name "$c" -v /x -v "v$c:/y" "$box" touch /x/f
	name=$(sbx inspect -f '{{range .Mounts}}{{if eq .Destination "/x"}}{{.Name}}{{end}}{{end}}' "$c")
	sbx rm -v "$c"
	run -1 sbx volume inspect "$name"
	sbx volume inspect "v$c"
	sbx run --name "$c" -v /x "$box" true
	name=$(sbx inspect -f '{{range .Mounts}}{{.Name}}{{end}}' "$c")
	sbx rm "$c"
	sbx volume inspect "$name"
	sbx volume rm "$name" "v$c"
}

@test "a volume that was made before stays when a container that mounts it ends with --rm or rm -v" {
	name=$(sbx volume create)
	sbx run --rm -v "$name:/d" "$box" sh -c 'echo kept >/d/f'
	equal "$(sbx run --rm --mount "src=$name,dst=/d" "$box" cat /d/f)" kept
	sbx run --name "$c" -v "$name:/d" "$box" true
	sbx rm -v "$c"
	equal "$(sbx run --rm -v "$name:/d" "$box" cat /d/f)" kept
	sbx volume rm "$name"
}

@test "an anonymous volume that others mount by --volumes-from ends with the last of them" {
	sbx run --name "$c" -v /d "$box" sh -c 'echo kept >/d/f'
	name=$(sbx inspect -f '{{range .Mounts}}{{.Name}}{{end}}' "$c")
	equal "$(sbx run --rm --volumes-from "$c" "$box" cat /d/f)" kept
	sbx create --name "second$c" --volumes-from "$c" "$box" cat /d/f
	sbx rm -v "$c"
	equal "$(sbx start -a "second$c")" kept
	sbx rm -v "second$c"
	run -1 sbx volume inspect "$name"
}

@test "a volume without a name is anonymous with labels as well" {
	name=$(sbx volume create --label a=b)
	equal "$(sbx volume inspect -f '{{json .Labels}}' "$name")" '{"a":"b","com.docker.volume.anonymous":""}'
	contains "$(sbx volume prune -f --filter label=a)" "$name"
}

@test "--mount volume-opt: a directory of the host's as a volume, and what else it may be is said" {
	local opts=volume-driver=local,volume-opt=type=none,volume-opt=o=bind,volume-opt=device=$PWD/host
	mkdir host
	echo here >host/f
	equal "$(sbx run --rm --mount "dst=/d,$opts" "$box" cat /d/f)" here
	equal "$(sbx volume ls -q --filter "label=com.docker.volume.anonymous")" ''
	sbx create --name "$c" --mount "src=v$c,dst=/d,$opts" "$box" cat /d/f
	equal "$(sbx inspect -f '{{json (index .HostConfig.Mounts 0).VolumeOptions.DriverConfig}}' "$c")" \
		"{\"Name\":\"local\",\"Options\":{\"device\":\"$PWD/host\",\"o\":\"bind\",\"type\":\"none\"}}"
	equal "$(sbx start -a "$c")" here
	sbx rm -v "$c"
	sbx volume rm "v$c"
	[ -f host/f ]
	run -125 sbx run --rm --mount dst=/d,volume-opt=type=overlay,volume-opt=device=overlay "$box" true
	contains "$output" 'operation not permitted (type overlay: without root a volume is a tmpfs, or a directory by o=bind)'
	run -125 sbx run --rm --mount "src=v$c,dst=/d,volume-driver=nosuch" "$box" true
	contains "$output" 'error looking up volume plugin nosuch: plugin "nosuch" not found'
	run -1 sbx volume inspect "v$c"
}

@test "what is asked of a swarm's volumes is parsed, and there are none" {
	run -0 --separate-stderr sbx volume ls --cluster
	[[ $output == "VOLUME NAME   GROUP     DRIVER    AVAILABILITY   STATUS" ]]
	for words in "volume create --availability pause" "volume create --group g" "volume create --limit-bytes 1g" \
		"volume create --required-bytes 1g" "volume create --scope multi" "volume create --secret k=v" \
		"volume create --sharing all" "volume create --topology-preferred a=b" \
		"volume create --topology-required a=b" "volume create --type mount"; do
		read -ra words <<<"$words"
		run -1 --separate-stderr sbx "${words[@]}" "$c"
		[[ $stderr == *"This node is not a swarm manager"* ]]
	done
	run -1 sbx volume inspect "$c"
}

@test "what a killed process was making or removing of volumes goes with the next prune, and nothing else" {
	sbx volume create "$c" >/dev/null
	new=.new-$(printf 'a%.0s' {1..64}) old=.old-$(printf 'b%.0s' {1..64}) at_work=.new-$(printf 'c%.0s' {1..64})
	mkdir -p "$SBX_ROOT/volumes/$new/_data" "$SBX_ROOT/volumes/$old/_data/d" "$SBX_ROOT/volumes/$at_work"
	touch "$SBX_ROOT/volumes/$old/_data/d/f"
	chmod 500 "$SBX_ROOT/volumes/$old/_data/d"
	sbx volume ls -q >out
	[ "$(grep -c . out)" = "$(grep -vc '^\.' out)" ]
	exec {lock}<"$SBX_ROOT/volumes/$at_work"
	flock "$lock"
	sbx volume prune -f >/dev/null
	equal "$(cd "$SBX_ROOT/volumes" && echo .new-* .old-*)" "$at_work .old-*"
	exec {lock}<&-
	sbx volume prune -f >/dev/null
	equal "$(cd "$SBX_ROOT/volumes" && echo .new-* .old-*)" ".new-* .old-*"
	sbx volume rm "$c" >/dev/null
}

@test "of several that make a volume one makes it, and all have it" {
	for i in 1 2 3 4 5 6; do
		"$SBX" volume create --label "by=$i" "$c" >"out$i" 2>&1 3>&- &
		background+=("$!")
	done
	wait "${background[@]}"
	equal "$(cat out?)" "$(printf "$c\n%.0s" {1..6})"
	[[ $(sbx volume inspect -f '{{.Labels.by}}' "$c") == [1-6] ]]
	equal "$(cd "$SBX_ROOT/volumes" && echo .new-*)" ".new-*"
	sbx volume rm "$c" >/dev/null
}

@test "a volume is kept while a container that may use it cannot be read" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	export SBX_ROOT=$PWD/store
	id=$(sbx create -v "$c:/data" "$box" true)
	sbx volume create "$c-other" >/dev/null
	chmod 000 "$SBX_ROOT/containers/$id/spec.json"
	run -1 --separate-stderr sbx volume rm "$c"
	contains "$stderr" "volume is in use - [$id]"
	run -1 --separate-stderr sbx volume rm "$c-other"
	contains "$stderr" "volume is in use - [$id]"
	sbx volume prune -af
	equal "$(sbx volume ls -q | wc -l)" 2
	equal "$(sbx volume ls -qf dangling=true)" ""
	chmod 600 "$SBX_ROOT/containers/$id/spec.json"
	equal "$(sbx volume ls -qf dangling=true)" "$c-other"
	sbx volume rm "$c-other"
	sbx rm "$id" >/dev/null
	sbx volume rm "$c"
}

@test "a volume that cannot be looked at is not told to be missing" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	export SBX_ROOT=$PWD/store
	sbx volume create "$c" >/dev/null
	chmod 000 "$SBX_ROOT/volumes/$c"
	for words in "volume ls" "volume inspect $c" "volume rm $c" "volume rm -f $c" "volume prune -af"; do
		run -1 --separate-stderr sbx $words
		contains "$stderr" "get $c: Permission denied"
	done
	# the others are listed, and can be removed
	sbx volume create "$c-other" >/dev/null
	run -1 --separate-stderr sbx volume ls -q
	equal "$output" "$c-other"
	equal "$stderr" "Error response from daemon: get $c: Permission denied"
	run -1 --separate-stderr sbx system df
	equal "$(awk '/^Local/ { print $3 }' <<<"$output")" 1
	contains "$stderr" "get $c: Permission denied"
	run -1 --separate-stderr sbx volume prune -af
	contains "$output" "$c-other"
	chmod 700 "$SBX_ROOT/volumes/$c"
	sbx volume rm "$c"
}

@test "a volume of whose labels nothing can be read can be removed" {
	export SBX_ROOT=$PWD/store
	sbx volume create --label a=b "$c" >/dev/null
	: >"$SBX_ROOT/volumes/$c/meta.json"
	for words in "volume ls" "volume inspect $c" "volume prune -af"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sbx $words
		contains "$stderr" "volume $c: meta.json: not JSON"
	done
	sbx volume rm "$c"
	equal "$(sbx volume ls -q)" ""
}

@test "a volume with long labels can be read again" {
	long=$(printf '%0100000d' 0)
	for i in {1..12}; do labels+=(--label "k$i=$long"); done
	equal "$(sbx volume create "${labels[@]}" "v$c")" "v$c"
	contains "$(sbx volume ls -q)" "v$c"
	equal "$(sbx volume inspect -f '{{len .Labels}}' "v$c")" 12
	equal "$(sbx volume rm "v$c")" "v$c"
}

@test "a volume that a container begins to use while others are removed stays" {
	sbx volume create "a$c"
	sbx volume create "v$c"
	echo precious >"$SBX_ROOT/volumes/v$c/_data/f"
	python3 - "$SBX" "$box" "$c" "$SBX_ROOT/volumes/a$c" <<-'END'
		import fcntl, os, subprocess, sys, time
		sbx, box, c, first = sys.argv[1:]
		held = os.open(first, os.O_RDONLY)
		fcntl.flock(held, fcntl.LOCK_EX)
		rm = subprocess.Popen([sbx, "volume", "rm", "a" + c, "v" + c], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		def waits():
		    return any("->" in line and " %d " % rm.pid in line for line in open("/proc/locks"))
		while not waits():
		    assert rm.poll() is None, rm.communicate()
		    time.sleep(0.01)
		subprocess.run([sbx, "create", "--name", c, "-v", "v%s:/d" % c, box, "true"], check=True, stdout=subprocess.DEVNULL)
		os.close(held)
		said = rm.communicate()
		assert said[0] == "a%s\n" % c and "remove v%s: volume is in use - [" % c in said[1] and rm.returncode == 1, (said, rm.returncode)
	END
	equal "$(cat "$SBX_ROOT/volumes/v$c/_data/f")" precious
	[ ! -e "$SBX_ROOT/volumes/a$c" ]
	sbx rm "$c"
	sbx volume rm "v$c"
}
