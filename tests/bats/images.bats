load lib

@test "import makes an image of a tar, run runs it by its name" {
	mkdir -p tree/bin tree/etc
	cp "$(command -v busybox)" tree/bin/
	ln -s busybox tree/bin/sh
	echo imported >tree/etc/mark
	tar -C tree -c . >tree.tar
	run -0 --separate-stderr sbx import tree.tar "$c:one"
	[[ $output =~ ^sha256:[0-9a-f]{64}$ ]]
	equal "$(sbx run --rm "$c:one" /bin/busybox cat /etc/mark)" imported
	equal "$(sbx images -q --no-trunc "$c")" "$output"
}

@test "import reads standard input, and applies -c and -m" {
	mkdir tree
	cp "$(command -v busybox)" tree/busybox
	tar -C tree -c . | sbx import -c 'ENV A=b' -c 'CMD ["/busybox","env"]' -c 'WORKDIR /w' -m note - "$c" >id
	contains "$(sbx run --rm "$c")" A=b
	equal "$(sbx image inspect -f '{{.Config.WorkingDir}} {{.Comment}}' "$c")" "/w note"
	equal "$(sbx image inspect -f '{{.Id}}' "$c")" "$(cat id)"
}

@test "compressed tars are read" {
	mkdir tree
	cp "$(command -v busybox)" tree/busybox
	for way in gzip xz zstd bzip2; do
		command -v $way >/dev/null || continue
		tar -C tree -c . | $way -c >tree.tar.$way
		sbx import "tree.tar.$way" "$c:$way" >/dev/null
		equal "$(sbx run --rm "$c:$way" /busybox echo $way)" $way
	done
}

@test "import of a .sqsh keeps it as the image's layer" {
	sbx import "$box" "$c" >/dev/null
	equal "$(sbx run --rm "$c" echo x)" x
	equal "$(sbx image inspect -f '{{len .RootFS.Layers}}' "$c")" 1
}

@test "the same layer is stored once" {
	sbx import "$box" "$c:a" >/dev/null
	before=$(du -s --inodes "$SBX_ROOT/layers" | cut -f 1)
	sbx import "$box" "$c:b" >/dev/null
	equal "$(du -s --inodes "$SBX_ROOT/layers" | cut -f 1)" "$before"
}

@test "import of no tar at all is an error and leaves nothing" {
	head -c 100000 /dev/urandom >noise
	run --separate-stderr sbx import noise "$c"
	[ "$status" -ne 0 ]
	[ -n "$stderr" ]
	equal "$(sbx images -q "$c")" ""
	run --separate-stderr sbx import nowhere.tar "$c"
	[ "$status" -ne 0 ]
	contains "$stderr" "nowhere.tar"
	# but not in unpacked images (*.d), which have a /tmp
	equal "$(find "$SBX_ROOT" -name '*.d' -prune -o \( -name '*tmp*' -o -name '.new*' \) -print)" ""
}

@test "a tar with ../ and absolute names writes nothing outside of the image" {
	python3 - "$PWD" <<-'PY'
		import io, sys, tarfile
		t = tarfile.open("bad.tar", "w")
		def add(name, kind=tarfile.REGTYPE, link=""):
		    i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.size = int(kind == tarfile.REGTYPE)
		    t.addfile(i, io.BytesIO(b"x"))
		add("ok")
		add("../../../../../../../.." + sys.argv[1] + "/escaped-1")
		add(sys.argv[1] + "/escaped-2")
		add("way", tarfile.SYMTYPE, sys.argv[1])
		add("way/escaped-3")
		t.close()
	PY
	run sbx import bad.tar "$c"
	[ ! -e escaped-1 ] && [ ! -e escaped-2 ] && [ ! -e escaped-3 ]
}

@test "tag, images, rmi" {
	sbx import "$box" "$c:one" >id
	sbx tag "$c:one" "$c:two"
	sbx tag "$(cut -c 8-19 <id)" "$c-other:three"
	equal "$(sbx images --format '{{.Repository}}:{{.Tag}}' | grep "^${c}[:-]" | sort)" \
		"$c-other:three"$'\n'"$c:one"$'\n'"$c:two"
	equal "$(sbx rmi "$c:two")" "Untagged: $c:two"
	run -1 --separate-stderr sbx rmi "$c:two"
	contains "$stderr" "No such image: $c:two"
	equal "$(sbx run --rm "$c-other:three" echo x)" x
}

@test "the last name of an image takes the image along" {
	mkdir tree
	cp "$(command -v busybox)" tree/busybox
	echo "$c" >tree/own
	tar -C tree -c . | sbx import - "$c" >id
	run -0 sbx rmi "$c"
	contains "$output" "Untagged: $c:latest"
	contains "$output" "Deleted: $(cat id)"
	run -1 --separate-stderr sbx image inspect "$c"
	run -125 sbx run --rm --pull never "$c" true
}

@test "an image in use is not removed" {
	sbx import "$box" "$c" >/dev/null
	sbx create --name "$c" "$c" true >/dev/null
	run -1 --separate-stderr sbx rmi "$c"
	contains "$stderr" "conflict"
	sbx start -a "$c"
}

@test "images shows docker's columns; -q, --no-trunc, --filter" {
	run -0 sbx images
	[[ ${lines[0]} =~ ^REPOSITORY\ +TAG\ +IMAGE\ ID\ +CREATED\ +SIZE$ ]]
	sbx import "$box" "$c:x" >id
	equal "$(sbx images -q "$c")" "$(cut -c 8-19 <id)"
	equal "$(sbx images --filter "reference=$c:*" --format '{{.Tag}}')" x
}

@test "a tag that no reference can be is told" {
	sbx import "$box" "$c" >/dev/null
	run -1 --separate-stderr sbx tag "$c" 'Upper/Case:x'
	contains "$stderr" "must be lowercase"
	run -1 --separate-stderr sbx tag "$c-none" "$c:y"
	contains "$stderr" "No such image: $c-none"
}

@test "--pull never and the words for an image that is not there" {
	run -125 --separate-stderr sbx run --rm --pull never "$c-none" true
	contains "$stderr" "No such image: $c-none:latest"
	run -125 --separate-stderr sbx run --rm "$c-none" true
	contains "$stderr" "Unable to find image '$c-none:latest' locally"
}

@test "the config of an image is a container's, and its options win" {
	mkdir tree
	cp "$(command -v busybox)" tree/busybox
	tar -C tree -c . | sbx import -c 'ENTRYPOINT ["/busybox"]' -c 'CMD ["echo","from image"]' -c 'ENV A=image' \
		-c 'ENV B=b' -c 'LABEL l=image' -c 'USER 0' - "$c" >/dev/null
	equal "$(sbx run --rm "$c")" "from image"
	equal "$(sbx run --rm "$c" echo mine)" mine
	contains "$(sbx run --rm -e A=mine "$c" env)" A=mine
	sbx create --name "$c" -e X=1 -e A=mine -e X=2 "$c" >/dev/null
	equal "$(sbx inspect -f '{{.Config.Labels.l}} {{.Config.User}} {{.Config.Env}}' "$c")" \
		"image 0 [X=2 A=mine B=b]"
}

@test "an import of nothing is an image of nothing; what makes no sense in -c is refused" {
	id=$(sbx import - "$c" </dev/null)
	[[ $id =~ ^sha256:[0-9a-f]{64}$ ]]
	equal "$(sbx image inspect -f '{{.RootFS.Layers}}' "$c")" \
		"[sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855]"
	run -127 sbx run --rm "$c" true
	run -1 --separate-stderr sbx import -c 'STOPSIGNAL 9' - </dev/null
	equal "$stderr" "Error response from daemon: stopsignal is not a valid change command"
	run -1 --separate-stderr sbx import -c 'HEALTHCHECK NONE now' - </dev/null
	equal "$stderr" "Error response from daemon: HEALTHCHECK NONE takes no arguments"
}

@test "images --tree is docker's tree: names below each other, and what has no name only with -a" {
	mkdir root && echo "$c" >root/f
	id=$(tar -C root -c . | sbx import - "tree$c:a")
	sbx tag "tree$c:a" "tree$c:a-longer-one"
	long=tree$c:a-longer-one
	equal "$(sbx images --tree -f "reference=tree$c")" \
		"WARNING: This is an experimental feature. The output may change and shouldn't be depended on.
                                                              Info ->  U In Use 

$(printf '%-*s' ${#long} IMAGE)   ID             DISK USAGE   CONTENT SIZE   EXTRA
$long
$(printf '%-*s' ${#long} "tree$c:a")   ${id:7:12}           $(sbx images --format '{{.Size}}' "$long")             0B        "
	lacks "$(sbx images --tree)" "<untagged>"
	sbx create --name "$c" "tree$c:a" true
	sbx rmi -f "tree$c:a" "tree$c:a-longer-one"
	for other in -q --no-trunc --digests "--format x"; do
		# shellcheck disable=SC2086 # two words
		run -1 sbx images --tree $other
		contains "$output" "is not yet supported with --tree"
	done
}

@test "an image that cannot be looked for is not told to be missing" {
	sbx import "$box" "$c:1" >/dev/null
	for n in {4..9}; do
		run bash -c 'ulimit -n "$2" && exec "$0" image inspect -f "{{.Id}}" "$1"' "$SBX" "$c:1" "$n"
		lacks "$output" "No such image"
	done
	equal "$status" 0
}

@test "layers of an image that cannot be read stay, whatever else is removed" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	sbx run --name "$c" --network none "$box" sh -c "echo $c >/own" # so that no other image has its layer
	sbx export "$c" | sbx import - "$c:below" >/dev/null
	sbx rm "$c" >/dev/null
	sbx run --name "$c" --network none "$c:below" sh -c 'echo kept >/new'
	sbx commit "$c" "$c:above" >/dev/null
	sbx rm "$c" >/dev/null
	below=$(sbx image inspect -f '{{.Id}}' "$c:below")
	chmod 000 "$SBX_ROOT/images/${below#sha256:}/meta.json"
	sbx rmi "$c:above"
	chmod 600 "$SBX_ROOT/images/${below#sha256:}/meta.json"
	equal "$(sbx run --rm --network none "$below" cat /own)" "$c"
}

# three_images: makes three, of which the second cannot be read
three_images() {
	export SBX_ROOT=$PWD/store
	sbx import "$box" "$c:1" >/dev/null
	sbx import --change 'ENV A=1' "$box" "$c:2" >/dev/null
	sbx import --change 'ENV A=2' "$box" "$c:3" >/dev/null
	id=$(sbx images -q --no-trunc "$c:2")
	meta=$SBX_ROOT/images/${id#sha256:}/meta.json
}

# the_others_are_told WORDS: the other two are listed, and the error about the second has WORDS
the_others_are_told() {
	local words
	for words in images "images -a" "images --tree" "images --format {{.Tag}}"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sbx $words
		contains "$output" 1
		contains "$output" 3
		lacks "$output" "$c:2"
		contains "$stderr" "Error response from daemon: image $c:2 (${id:7:12}): "
		contains "$stderr" "$1"
	done
	run -1 --separate-stderr sbx system df
	equal "$(awk '/^Images/ { print $2 }' <<<"$output")" 2
	contains "$stderr" "image $c:2 (${id:7:12}): "
	run -1 --separate-stderr sbx system df -v
	contains "$stderr" "image $c:2 (${id:7:12}): "
	run -1 --separate-stderr sbx image prune -f
	equal "$output" "Total reclaimed space: 0B"
	contains "$stderr" "image $c:2 (${id:7:12}): "
	# commands that name other images are not affected
	sbx image inspect "$c:1" "$c:3" >/dev/null
	sbx save -o "$c.tar" "$c:1"
	run -1 sbx save -o all.tar "$c"
	[ ! -e all.tar ]
	equal "$(sbx run --rm --network none "$c:3" echo works)" works
}

@test "an image that cannot be read is told, and hides no other one" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	three_images
	chmod 000 "$meta"
	the_others_are_told "ermission denied"
	chmod 600 "$meta"
	equal "$(sbx images -q | wc -l)" 3
}

@test "an image of which something else was written is told, and hides no other one" {
	three_images
	cp "$meta" kept
	for text in "" "{garb" "{}"; do
		printf %s "$text" >"$meta"
		the_others_are_told ""
	done
	sbx tag "$c:1" "$c:4"
	sbx rmi "$c:1" "$c:4" >/dev/null
	run -1 --separate-stderr sbx image prune -af
	contains "$output" "untagged: $c:3"
	contains "$stderr" "image $c:2 (${id:7:12}): "
	# no part of it was removed
	cp kept "$meta"
	equal "$(sbx images --format '{{.Tag}}')" 2
	equal "$(sbx run --rm --network none "$c:2" sh -c 'echo $A')" 1
}

@test "a name of an image that holds nothing is told, and no image goes for want of it" {
	three_images
	name=$SBX_ROOT/refs/$c:2
	for how in "chmod 000" "truncate -s 0"; do
		[ "$(id -u)" -ne 0 ] || [ "$how" != "chmod 000" ] || continue
		$how "$name"
		run -1 --separate-stderr sbx images
		contains "$output" "${id:7:12}"
		contains "$stderr" "Error response from daemon: image $c:2: $name: "
		run -1 --separate-stderr sbx image prune -f
		equal "$output" ""
		contains "$stderr" "Error response from daemon: image $c:2: $name: "
		equal "$(wc -l <<<"$stderr")" 1
		equal "$(sbx image inspect -f '{{.RepoTags}}' "$c:1")" "[$c:1]"
		chmod 600 "$name"
	done
	sbx tag "$id" "$c:2"
	equal "$(sbx images -q | wc -l)" 3
}

@test "an image whose name cannot be read is not one without a name" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	sbx import "$box" "$c:1" >/dev/null
	name=$(find "$SBX_ROOT/refs" -name "$c:1")
	chmod 000 "$name"
	run -1 --separate-stderr sbx image prune -f
	contains "$stderr" "ermission denied"
	chmod 600 "$name"
	sbx image inspect "$c:1" >/dev/null
}

@test "what a container that cannot be read is made of stays until it is gone" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	export SBX_ROOT=$PWD/store
	sbx import "$box" "$c:1" >/dev/null
	id=$(sbx create --name "$c" "$c:1" true)
	chmod 000 "$SBX_ROOT/containers/$id/state"
	run -1 --separate-stderr sbx rmi "$c:1"
	contains "$stderr" "${id:0:12}"
	run -1 --separate-stderr sbx image prune -af
	contains "$stderr" "${id:0:12}"
	chmod 600 "$SBX_ROOT/containers/$id/state"
	sbx start "$id" >/dev/null
	sbx rm -f "$id" >/dev/null
	sbx rmi "$c:1"
}

@test "an image for other processors is run with a warning, and found for these alone" {
	other=arm64 own=amd64 full=amd64
	[ "$(uname -m)" != aarch64 ] || other=amd64 own=arm64 full=arm64/v8
	sbx import --platform "linux/$other" "$box" "$c:1" >/dev/null
	said="image's platform (linux/$other) does not match the detected host platform (linux/$full) and no specific"
	run -0 --separate-stderr sbx run --rm "$c:1" true
	contains "$stderr" "WARNING: The requested $said platform was requested"
	sbx import --platform "linux/$other/v8" "$box" "$c:v8" >/dev/null
	run -0 --separate-stderr sbx run --rm "$c:v8" true
	contains "$stderr" "image's platform (linux/$other/v8) does not match the detected host platform (linux/$full) and"
	run -0 --separate-stderr sbx run --rm --platform "linux/$other" "$c:1" true
	equal "$stderr" ""
	run -125 --separate-stderr sbx run --rm --platform "linux/$own" "$c:1" true
	contains "$stderr" "Unable to find image '$c:1' locally"
	cat >ask.py <<-'PY'
		import json, os, socket, sys
		body = json.dumps({"Image": sys.argv[1], "Cmd": ["true"]}).encode()
		s = socket.socket(socket.AF_UNIX)
		s.connect(os.environ["DOCKER_HOST"][len("unix://"):])
		s.sendall(b"POST /containers/create HTTP/1.0\r\nContent-Type: application/json\r\n"
		    b"Content-Length: %d\r\n\r\n" % len(body) + body)
		print(s.makefile().read())
	PY
	run -0 --separate-stderr sbx serve -- python3 ask.py "$c:1"
	contains "$output" "The requested $said"
	for command in history "image inspect" save; do
		# shellcheck disable=SC2086 # words
		run -1 --separate-stderr sbx $command --platform "linux/$own" "$c:1"
		case $command in
		save) equal "$stderr" "Error response from daemon: no suitable export target found for platform linux/$own" ;;
		*) contains "$stderr" "was found but its platform (linux/$other) does not match the specified platform (linux/$own)" ;;
		esac
		# shellcheck disable=SC2086 # words
		sbx $command --platform "linux/$other" "$c:1" >/dev/null
	done
	# only an archive's images for that platform are loaded
	sbx save "$c:1" >one.tar
	sbx rmi -f "$c:1" >/dev/null
	equal "$(sbx load -q --platform "$own" <one.tar)" ""
	run -1 sbx image inspect "$c:1"
	equal "$(sbx load -q --platform "linux/$other" <one.tar)" "Loaded image: $c:1"
	run -1 --separate-stderr sbx rmi -f --platform "linux/$own" "$c:1"
	contains "$stderr" "was found but its platform (linux/$other) does not match"
	sbx rmi -f --platform "linux/$other" "$c:1"
}

@test "words that name no platform are told in the words of docker's client, before anything else" {
	none='"bad": unknown operating system or architecture: invalid argument'
	said() { # runs a command that fails, with output on standard error only
		run -1 --separate-stderr sbx "$@"
		equal "$output" ""
	}
	for command in "save -o no/such/file nosuch" "history nosuch" "load -i /dev/null"; do
		# shellcheck disable=SC2086 # words
		said $command --platform bad
		equal "$stderr" "invalid platform: $none"
	done
	for command in "image inspect" rmi; do
		# shellcheck disable=SC2086 # words
		said $command --platform bad nosuch
		equal "$stderr" "$none"
	done
	said push --platform bad nosuch
	equal "$stderr" "Invalid platform bad$none"
	run -1 sbx push --platform linux/arm64 nosuch
	contains "$output" "Info -> Using --platform pushes only the specified platform manifest"
	# the image exists, but for another platform, which is shown in full
	sbx import "$box" "$c:1" >/dev/null
	said history --platform LINUX/aarch64/v9 -q "$c:1"
	contains "$stderr" "does not match the specified platform (linux/arm64/v9)"
}

@test "the API asks for platforms as the command line does, from the version on that has them" {
	sbx import "$box" "$c:1" >/dev/null
	cat >ask.py <<-'PY'
		import http.client, json, os, socket, sys, urllib.parse

		def ask(method, path, **query):
		    c = http.client.HTTPConnection("x")
		    c.sock = socket.socket(socket.AF_UNIX)
		    c.sock.connect(os.environ["DOCKER_HOST"][len("unix://"):])
		    c.request(method, path + "?" + urllib.parse.urlencode(query))
		    r = c.getresponse()
		    body = r.read()
		    return r.status, "" if r.status == 200 else json.loads(body)["message"]

		name = "/images/" + sys.argv[1]
		other = json.dumps({"os": "linux", "architecture": "s390x"})
		for path, since in ("/json", 49), ("/history", 48), ("/get", 48):
		    assert ask("GET", "/v1.%d%s%s" % (since - 1, name, path), platform=other)[0] == 200, path
		    print(*ask("GET", "/v1.%d%s%s" % (since, name, path), platform=other))
		print(*ask("GET", "/v1.50" + name + "/json", platform='{"variant":"v7"}'))
		print(*ask("GET", "/v1.50" + name + "/json", platform='{"os":"linux"}'))
		print(*ask("DELETE", "/v1.50" + name, platforms=other))
		print(ask("GET", "/v1.50" + name + "/json")[0])
	PY
	run -0 --separate-stderr sbx serve -- python3 ask.py "$c:1"
	equal "$(sed "s,(linux/[^)]*) does,X,; s, match.*,," <<<"$output")" "404 image with reference $c:1 was found but its platform X not
404 image with reference $c:1 was found but its platform X not
500 no suitable export target found for platform linux/s390x
400 optional platform fields provided, but OS and Architecture are missing
400 both OS and Architecture must be provided
404 image with reference $c:1 was found but its platform X not
200"
}

@test "of an image of this machine's platform nothing is said, nor of a file by its path" {
	sbx import "$box" "$c:1" >/dev/null
	for image in "$c:1" "$box"; do
		run -0 --separate-stderr sbx run --rm "$image" true
		equal "$stderr" ""
	done
}

@test "an image whose meta.json cannot be read is told of, and goes by rmi -f with its names and layers" {
	export SBX_ROOT=$PWD/damaged
	id=$(sbx import "$box" t:1)
	sbx tag t:1 t:2
	sbx import "$py" other:1 >/dev/null
	: >"$SBX_ROOT/images/${id#sha256:}/meta.json"
	for command in images "rmi t:1"; do
		# shellcheck disable=SC2086
		run -1 sbx $command
		contains "$output" meta.json
	done
	equal "$(sbx rmi -f t:1)" "Untagged: t:1
Untagged: t:2
Deleted: $id"
	equal "$(sbx images --format '{{.Repository}}')" other
	equal "$(find "$SBX_ROOT/layers" -name '*.sqsh' | wc -l)" 1
	equal "$(sbx import "$box" t:1 >/dev/null; sbx run --rm t:1 echo back)" back
	end_server
}
