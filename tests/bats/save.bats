#!/usr/bin/env bats
# save: images as archives which others load, and which load again as the same image

load lib

id_of() {
	sbx image inspect -f '{{.Id}}' "$1"
}

# Odd but lawful: long names, hard links, a sparse file, attributes, padding behind the end.
make_image() {
	long=$(printf 'n%.0s' {1..150})
	mkdir -p "i/$long/$long"
	echo x >"i/$long/$long/f"
	ln "i/$long/$long/f" i/link
	ln -s "$long" i/sym
	truncate -s 1000000 i/hole
	: >i/empty
	head -c 70000 /dev/urandom >i/random
	tar -C i --format="$1" -b 40 -cf - . | sbx import - "$c:1" >/dev/null
}

there_and_back() {
	id=$(id_of "$c:1")
	sbx save -o s.tar "$c:1"
	sbx rmi "$c:1" >/dev/null
	[ "$(sbx load -i s.tar)" = "Loaded image: $c:1" ]
	[ "$(id_of "$c:1")" = "$id" ]
	sbx rmi "$c:1" >/dev/null
}

@test "a GNU tar comes back to the byte" {
	make_image gnu
	there_and_back
}

@test "a pax tar comes back to the byte" {
	make_image posix
	there_and_back
}

@test "a blob of a layer has the digest of its name" {
	make_image gnu
	sbx save "$c:1" | tar -x
	for f in blobs/sha256/*; do
		[ "$(sha256sum "$f" | cut -d ' ' -f 1)" = "${f##*/}" ]
	done
	python3 - "$c:1" <<-'END'
		import json, sys
		m = json.load(open("manifest.json"))
		assert m[0]["RepoTags"] == [sys.argv[1]], m
		open(m[0]["Config"]); open(m[0]["Layers"][0])
		i = json.load(open("index.json"))["manifests"][0]
		n = json.load(open("blobs/sha256/" + i["digest"][7:]))
		assert n["layers"][0]["digest"][7:] in m[0]["Layers"][0]
	END
	sbx rmi "$c:1" >/dev/null
}

@test "a committed image is saved with shared layers once" {
	mkdir i
	cp "$(command -v busybox)" i/
	tar -C i -c . | sbx import - "$c:1" >/dev/null
	sbx run --name "$c" --network none "$c:1" /busybox sh -c 'echo x >/f' >/dev/null
	sbx commit "$c" "$c:2" >/dev/null
	sbx rm "$c" >/dev/null
	sbx save "$c:1" "$c:2" >s.tar
	[ "$(tar -tf s.tar | grep -c 'blobs/sha256/.')" = 6 ]
	id=$(id_of "$c:2")
	sbx rmi "$c:2" "$c:1" >/dev/null
	sbx load -q <s.tar >/dev/null
	[ "$(id_of "$c:2")" = "$id" ]
	[ "$(sbx run --rm --network none "$c:2" /busybox cat /f)" = x ]
	sbx rmi "$c:2" "$c:1" >/dev/null
}

@test "what cannot be saved leaves no file" {
	run -1 --separate-stderr sbx save -o s.tar "$c:none"
	[[ $stderr == *"reference does not exist"* ]]
	sbx import "$box" "$c:1" >/dev/null
	run -1 --separate-stderr sbx save -o s.tar "$c:1"
	[[ $stderr == *"was not made of a tar"* ]]
	[ -z "$(ls -d s.tar* 2>/dev/null)" ]
	sbx rmi "$c:1" >/dev/null
}
