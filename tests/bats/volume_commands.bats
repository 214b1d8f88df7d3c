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
	contains "$stderr" 'no such volume'
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
