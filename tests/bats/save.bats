#!/usr/bin/env bats
# save: archives that other programs can load, and that load again as the same image

load lib

id_of() {
	sbx image inspect -f '{{.Id}}' "$1"
}

# Makes an image with odd but valid things: long names, hard links, a sparse file, attributes, padding after the end.
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

@test "a tar whose names are cut behind a slash, in their headers, comes back to the byte" {
	local format
	for format in GNU USTAR PAX; do
		python3 - "$format" >"$format.tar" <<-'END'
			import io, sys, tarfile
			with tarfile.open(fileobj=sys.stdout.buffer, mode="w|", format=getattr(tarfile, sys.argv[1] + "_FORMAT")) as t:
			    for name in "p/" * 50 + "q" * 40, "a size=3", "p/" * 55 + "d/", "last":
			        entry = tarfile.TarInfo(name)
			        entry.size = 7 if name[-1] != "/" else 0
			        entry.type = tarfile.REGTYPE if name[-1] != "/" else tarfile.DIRTYPE
			        entry.pax_headers = {"comment": "x size=3", "mtime": "1.5"} if sys.argv[1] == "PAX" else {}
			        t.addfile(entry, io.BytesIO(b"content") if entry.size else None)
		END
		sbx import - "$c:1" <"$format.tar" >/dev/null
		there_and_back
	done
}

@test "a pax tar comes back to the byte" {
	make_image posix
	there_and_back
}

@test "a pax tar with sparse files comes back to the byte, in each of GNU's forms" {
	local form
	sparse_files
	for form in 0.0 0.1 1.0; do
		tar --format=posix --sparse-version=$form -Scf t.tar many
		[ "$(stat -c %s t.tar)" -lt 2000000 ]
		sbx import t.tar "$c:1" >/dev/null
		there_and_back
	done
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

@test "an image that is named twice is saved once, under each of its names" {
	sbx import "$box" "$c:1" >/dev/null
	sbx tag "$c:1" "$c:2"
	sbx save "$c:1" "$c:1" "docker.io/library/$c:2" "$c" | tar -x
	equal "$(python3 -c 'import json
print([m["RepoTags"] for m in json.load(open("manifest.json"))], len(json.load(open("index.json"))["manifests"]))')" "[['$c:1', '$c:2']] 2"
	equal "$(sbx events --since 1h --until "$(date +%s.%N)" --filter event=save --filter "image=$(id_of "$c:1")" | wc -l)" 1
	sbx rmi "$c:1" "$c:2" >/dev/null
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

# tree FILE: lists a saved image's only layer, with what matters for an image
tree() {
	rm -rf x && mkdir x
	tar -C x -xf "$1"
	python3 - "x" <<-'END'
		import json, sys, tarfile
		m = json.load(open(sys.argv[1] + "/manifest.json"))
		for e in tarfile.open(sys.argv[1] + "/" + m[0]["Layers"][0]):
		    print(e.name, e.type, oct(e.mode), e.uid, e.gid, int(e.mtime), e.size, e.linkname,
		          e.devmajor, e.devminor, sorted(e.pax_headers))
	END
}

squashfs_with_everything() {
	mkdir -p i/d/sub
	echo x >i/d/f
	ln i/d/f i/again
	ln -s ../d/f i/d/sym
	mkfifo i/pipe
	truncate -s 1000000 i/hole
	: >i/d/sub/empty
	chmod 4755 i/d/f
	long=$(printf 'n%.0s' {1..150})
	mkdir -p "i/$long/$long"
	setfattr -n user.mine -v kept i/d 2>/dev/null || true
	mksquashfs i one.sqsh -quiet -no-progress -p 'null c 666 0 0 1 3' -p 'own f 640 5 70000 echo hi' >/dev/null
}

@test "an image of a squashfs file is saved as a tar of its files, and keeps its id" {
	squashfs_with_everything
	id=$(sbx import one.sqsh "$c:1")
	there_and_back
	equal "$id" "$(tar -xOf s.tar manifest.json | sed 's/.*sha256.\([0-9a-f]\{64\}\)".*RepoTags.*/sha256:\1/')"
	tree s.tar >was
	grep -q "^null b'3' 0o666 0 0 .* 1 3 " was
	grep -q "^own b'0' 0o640 5 70000 " was
	grep -q "^pipe b'6'" was
	grep -q "^d/f b'1' .* again " was
	grep -q "^again b'0' 0o4755 .* 2  0 0 " was
	grep -q "^d/sym b'2' .* \.\./d/f " was
	grep -q "^hole b'0' .* 1000000 " was
	grep -q "^$long/$long b'5'" was
}

@test "the same files give the same image, however they were compressed" {
	squashfs_with_everything
	unsquashfs -q -n -d u one.sqsh >/dev/null 2>&1 || true # only root can make devices
	rm -f u/null
	mksquashfs u a.sqsh -quiet -no-progress -all-root -comp gzip >/dev/null
	mksquashfs u b.sqsh -quiet -no-progress -all-root -comp xz -b 32K >/dev/null
	sbx import a.sqsh "$c:1" >/dev/null
	sbx import b.sqsh "$c:2" >/dev/null
	equal "$(sbx image inspect -f '{{.RootFS.Layers}}' "$c:1")" "$(sbx image inspect -f '{{.RootFS.Layers}}' "$c:2")"
	sbx rmi "$c:1" "$c:2" >/dev/null
}

@test "a committed image of a squashfs file keeps its ids" {
	sbx import "$box" "$c:1" >/dev/null
	sbx run --name "$c" --network none "$c:1" sh -c 'rm -r /home; echo x >/f' >/dev/null
	sbx commit "$c" "$c:2" >/dev/null
	sbx rm "$c" >/dev/null
	ids=$(id_of "$c:1")$(id_of "$c:2")
	sbx save -o s.tar "$c:1" "$c:2"
	sbx rmi "$c:2" "$c:1" >/dev/null
	sbx load -qi s.tar >/dev/null
	equal "$(id_of "$c:1")$(id_of "$c:2")" "$ids"
	equal "$(sbx run --rm --network none "$c:2" sh -c 'cat /f; ls -d /home 2>/dev/null')" x
	sbx rmi "$c:2" "$c:1" >/dev/null
}

# If a name occurs twice in a tar, only the last content is stored, and docker does not load GNU's own format of sparse files: so
# another tar is written, with another digest.
@test "a layer that cannot be written as it came is saved under the digest that it has now" {
	local tar
	mkdir i
	truncate -s 3M i/f
	echo end >>i/f
	tar -C i -Scf t.tar f
	echo first >i/twice
	tar -C i -cf u.tar f twice
	cp i/f i/twice
	tar -C i -rf u.tar twice
	for tar in t u; do
		sbx import $tar.tar "$c:1" >/dev/null
		sbx save "$c:1" >s.tar
		sbx rmi "$c:1" >/dev/null
		sbx load -qi s.tar >/dev/null
		sbx save "$c:1" >again.tar
		cmp s.tar again.tar
		[ "$(sbx export "$(sbx create --name "$c" "$c:1" x)" | tar -xO "$(tar -tf $tar.tar | tail -1)" | cksum)" = "$(cksum <i/f)" ]
		sbx rm "$c" >/dev/null
		sbx rmi "$c:1" >/dev/null
	done
}

# Old versions stored skeletons of some archives that they had misunderstood.
@test "what was kept of a layer's archive and makes no sense keeps nobody from saving it" {
	local kept
	mkdir i
	echo content >i/f
	for kept in 'b"no zstd" * 100' 'b"\x28\xb5\x2f\xfd\x60\x00\x01\x01\x10\x00" + b"x" * 512'; do
		echo "$kept" >i/g
		tar -C i -cf - . | sbx import - "$c:1" >/dev/null
		python3 - "$SBX_ROOT/layers/$(sbx image inspect -f '{{slice (index .RootFS.Layers 0) 7}}' "$c:1").sqsh" <<-END
			import os, struct, sys
			os.chmod(sys.argv[1], 0o600)
			with open(sys.argv[1], "r+b") as f:
			    f.seek(-24, 2)
			    magic, at, size = struct.unpack("8sQQ", f.read())
			    assert magic == b"sbx-tar1"
			    f.seek(at)
			    f.truncate()
			    kept = $kept
			    f.write(kept + struct.pack("8sQQ", magic, at, len(kept)))
		END
		sbx save -o s.tar "$c:1"
		sbx rmi "$c:1" >/dev/null
		sbx load -qi s.tar >/dev/null
		equal "$(sbx export "$(sbx create --name "$c" "$c:1" x)" | tar -xO f)" content
		sbx rm "$c" >/dev/null
		sbx rmi "$c:1" >/dev/null
	done
}

@test "what cannot be saved leaves no file, and what was there" {
	echo old >s.tar
	run -1 --separate-stderr sbx save -o s.tar "$c:none"
	[[ $stderr == *"reference does not exist"* ]]
	# a file whose inode says that it has a tebibyte
	mkdir i
	truncate -s 123456789 i/f
	mksquashfs i one.sqsh -quiet -no-progress -noI -all-root >/dev/null
	python3 - <<-'END'
		import struct
		b = open("one.sqsh", "rb").read()
		assert b.count(struct.pack("<Q", 123456789)) == 1
		open("one.sqsh", "wb").write(b.replace(struct.pack("<Q", 123456789), struct.pack("<Q", 1 << 40)))
	END
	sbx import one.sqsh "$c:1" >/dev/null
	run -1 --separate-stderr sbx save -o s.tar "$c:1"
	[[ $stderr == *"hold more than 64 GiB"* ]]
	equal "$(ls -d s.tar*)" s.tar
	equal "$(cat s.tar)" old
	sbx rmi "$c:1" >/dev/null
}

@test "an archive that cannot be written is told as such, whatever it was to hold next" {
	mkdir i
	(cd i && seq -f f%g 5000 | xargs touch) # headers alone, more than is written at once
	tar -C i -cf i.tar .
	mksquashfs i i.sqsh -quiet -no-progress -all-root >/dev/null
	for from in i.tar i.sqsh; do
		sbx import "$from" "$c:1" >/dev/null
		run -1 --separate-stderr sh -c 'exec "$0" save "$1" >/dev/full' "$SBX" "$c:1"
		equal "$from: $stderr" "$from: write /dev/stdout: no space left on device"
	done
	sbx rmi "$c:1" >/dev/null
}
