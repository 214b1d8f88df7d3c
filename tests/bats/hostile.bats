#!/usr/bin/env bats
# Hostile archives, each given to import, load and cp. Nothing is written outside, nothing hangs, and what is refused leaves
# nothing.

load lib

setup_file() {
	own_store
	sbx import "$box" box:1 >/dev/null
	# files around the directories where archives are unpacked
	mkdir "$BATS_FILE_TMPDIR/host"
	echo mine >"$BATS_FILE_TMPDIR/host/canary"
	chmod 700 "$BATS_FILE_TMPDIR/host"
	chmod 600 "$BATS_FILE_TMPDIR/host/canary"
}

# evil PYTHON: writes evil.tar by code that has `out`, header(), entry(), pax(), end(); and as.tar, docker's archive of the image
# evil:1 with this tar as its only layer
evil() {
	CANARY=$BATS_FILE_TMPDIR/host python3 - "$1" <<-'END'
		import hashlib, io, json, os, sys, tarfile
		canary = os.environ["CANARY"]
		out = io.BytesIO()
		def header(name, size=0, kind=b"0", link="", major=0, minor=0, mode=0o644):
		    if isinstance(name, str): name = name.encode()
		    number = lambda n, w: n if isinstance(n, bytes) else b"%0*o\0" % (w - 1, n)
		    h = bytearray(512)
		    def put(at, b): h[at:at + len(b)] = b
		    put(0, name[:100]); put(100, number(mode, 8)); put(108, number(0, 8)); put(116, number(0, 8))
		    put(124, number(size, 12)); put(136, number(0, 12)); put(156, kind); put(157, link.encode()[:100])
		    put(257, b"ustar\x0000"); put(329, number(major, 8)); put(337, number(minor, 8))
		    put(148, b" " * 8)
		    put(148, b"%06o\0 " % sum(h))
		    out.write(h)
		def body(data):
		    out.write(data + b"\0" * (-len(data) % 512))
		def entry(name, data=b"x", **more):
		    header(name, len(data), **more); body(data)
		def pax(records, kind=b"x"):
		    if isinstance(records, dict):
		        r = b""
		        for k, v in records.items():
		            line = b" " + k.encode() + b"=" + v + b"\n"
		            n = len(line) + 1
		            while len(str(n)) + len(line) != n: n = len(str(n)) + len(line)
		            r += str(n).encode() + line
		        records = r
		    header("pax", len(records), kind=kind); body(records)
		def end(): out.write(b"\0" * 1024)
		exec(sys.argv[1])
		layer = out.getvalue()
		open("evil.tar", "wb").write(layer)
		config = json.dumps({"architecture": "amd64", "os": "linux", "config": {}, "rootfs": {"type": "layers",
		    "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]}}).encode()
		with tarfile.open("as.tar", "w") as t:
		    for name, data in [("c.json", config), ("l.tar", layer), ("manifest.json", json.dumps([{
		            "Config": "c.json", "Layers": ["l.tar"], "RepoTags": ["evil:1"]}]).encode())]:
		        i = tarfile.TarInfo(name); i.size = len(data); t.addfile(i, io.BytesIO(data))
	END
}

# try PYTHON: gives the archive to each command; $import, $load and $copy are their exit statuses.
try() {
	evil "$1"
	teardown # of the try before
	import=0 load=0 copy=0
	timeout -k 5 150 "$SBX" import evil.tar evil:2 >import.out 2>&1 || import=$?
	timeout -k 5 150 "$SBX" load -i as.tar >load.out 2>&1 || load=$?
	sbx create --name "$c" --network none box:1 true >/dev/null
	timeout -k 5 150 "$SBX" cp - "$c:/tmp" <evil.tar >copy.out 2>&1 || copy=$?
	unharmed
}

unharmed() {
	for code in "$import" "$load" "$copy"; do
		[ "$code" -le 1 ] || { echo "ended with $code:"; cat ./*.out; return 1; }
	done
	for way in import load copy; do
		[ "${!way}" -eq 0 ] || [ "$way" = load ] && [ -s load.out ] || grep -q '^Error' $way.out || { echo "$way said:"; cat $way.out; return 1; }
	done
	equal "$(ls -A "$BATS_FILE_TMPDIR/host")" canary
	equal "$(cat "$BATS_FILE_TMPDIR/host/canary")" mine
	equal "$(stat -c %a "$BATS_FILE_TMPDIR/host" "$BATS_FILE_TMPDIR/host/canary" | xargs)" "700 600"
	equal "$(find "$SBX_ROOT/layers" -name 'tmp-*')" ""
	# the container's files outside of the destination are unchanged
	[ -n "${everywhere:-}" ] || equal "$(sbx diff "$c" | grep -vE '^(C /tmp|A /tmp/.*)$')" ""
}

# refused_by WAY...: these commands failed; there is no image under any of its names
refused_by() {
	local way
	for way in "$@"; do
		[ "${!way}" -eq 1 ] || { echo "$way took it"; cat "$way.out"; return 1; }
	done
	[ "$import" -eq 0 ] || ! sbx image inspect evil:2 >/dev/null 2>&1
	[ "$load" -eq 0 ] || ! sbx image inspect evil:1 >/dev/null 2>&1
}

teardown() {
	sbx rm -f "$c" >/dev/null 2>&1 || true
	sbx rmi -f evil:1 >/dev/null 2>&1 || true
	sbx rmi -f evil:2 >/dev/null 2>&1 || true
}

@test "names that lead out" {
	try 'entry("../" * 20 + canary[1:] + "/canary", b"evil"); end()'
	refused_by import load copy
	try 'pax({"path": (("../" * 60) + canary[1:] + "/new").encode()}); entry("x"); end()'
	refused_by import load copy
}

@test "absolute names stay within" {
	try 'entry(canary + "/canary", b"evil"); pax({"path": (canary + "/new").encode()}); entry("x"); end()'
	equal "$import$load$copy" 000
}

@test "entries below symbolic links do not follow them out" {
	try 'entry("a", b"", kind=b"2", link=canary); entry("a/canary", b"evil"); entry("a/new"); end()'
	refused_by import load
	# a link may lead anywhere in the image or the container, but not out of it
	try 'entry("a", b"", kind=b"2", link="../" * 30); entry("a" + canary + "/canary", b"evil"); end()'
	equal "$import$load" 00
	everywhere=1
	try 'entry("d", b"", kind=b"5", mode=0o755); entry("d/a", b"", kind=b"2", link=".."); entry("b", b"", kind=b"2", link="d/a/../../.."); entry("b/etc/passwd", b"evil"); end()'
	equal "$import$load" 00
}

@test "hard links to files outside, and through links" {
	try 'header("l", kind=b"1", link=canary + "/canary"); end()'
	refused_by import load copy
	try 'header("l", kind=b"1", link="../" * 20 + "etc/passwd"); entry("l", b"evil"); end()'
	refused_by import load copy
	try 'entry("s", b"", kind=b"2", link=canary); header("l", kind=b"1", link="s/canary"); entry("l", b"evil"); end()'
	refused_by import load
	try 'header("l", kind=b"1", link="l"); end()'
	refused_by import load copy
}

@test "modes do not follow links out (CVE-2021-32760)" {
	# a directory over a link to one, a hard link to a link, a link with a mode of its own
	try 'header("s", kind=b"2", link=canary); header("s", kind=b"5", mode=0o777); end()'
	try 'header("s", kind=b"2", link=canary + "/canary"); header("l", kind=b"1", link="s", mode=0o666); end()'
	try 'header("s", kind=b"2", link=canary + "/canary", mode=0o666); header("t", kind=b"2", link=canary, mode=0o777); end()'
	equal "$import$load$copy" 000
}

@test "devices open nothing" {
	try 'entry("null", b"", kind=b"3", major=1, minor=3, mode=0o666); entry("disk", b"", kind=b"4", major=8, minor=0, mode=0o666); entry("hole", b"", kind=b"3"); end()'
	equal "$(sbx diff "$c" | grep null || true)" ""
	if [ "$load" -eq 0 ]; then
		cp "$(command -v busybox)" sh
		run ! sbx run --rm --network none -v "$PWD/sh:/sh:ro" evil:1 /sh cat /null
		run ! sbx run --rm --network none -v "$PWD/sh:/sh:ro" evil:1 /sh cat /disk
	fi
}

@test "sizes that overflow" {
	for size in 'b"\xff" * 12' 'b"\x80" + b"\x7f" + b"\xff" * 10' 'b"77777777777\0"' 'b"\x80\0\0\0" + b"\x7f" + b"\xff" * 7'; do
		try "header('f', size=$size); body(b'x'); end()"
		refused_by import load copy
	done
}

@test "pax records that overflow, lie or end early" {
	for records in '{"size": b"9223372036854775807"}' '{"size": b"-1"}' '{"size": b"18446744073709551617"}' \
		'b"99999999999999999999 path=x\n"' 'b"-5 path=x\n"' 'b"0 path=x\n"' 'b"3"' 'b"11 path=x\n"' 'b"5 a\n"' 'b"\xff" * 100'; do
		try "pax($records); entry('f'); end()"
	done
	# a path with a 0 in it, an empty one, one of 70000 bytes, times beyond time
	for records in '{"path": b"a\0../../x"}' '{"path": b""}' '{"path": b"n" * 70000}' '{"path": b"d/" * 30000}' \
		'{"mtime": b"99999999999999999999"}' '{"mtime": b"-99999999999999999999"}' '{"uid": b"99999999999999"}' \
		'{"linkpath": b"x" * 100000}' '{"SCHILY.xattr.user.x": b"y" * 200000}' '{"SCHILY.xattr.security.capability": b"junk"}' \
		'{"GNU.sparse.major": b"1", "GNU.sparse.minor": b"0", "GNU.sparse.realsize": b"99999999999999", "GNU.sparse.name": b"../../x"}'; do
		try "pax($records); entry('f'); end()"
	done
	# headers that announce more data than there is
	try 'header("pax", size=1 << 30, kind=b"x"); body(b"20 path=x\n"); end()'
	refused_by import load copy
	try 'header("long", size=1 << 33, kind=b"L"); body(b"x"); end()'
	refused_by import load copy
	try 'pax(b"", kind=b"g"); pax({"size": b"4096"}, kind=b"g"); entry("f"); end()'
}

# Archives that announce huge content, or expand to it: only little may be written.
@test "bombs" {
	# an exabyte of holes
	try 'pax({"GNU.sparse.major": b"0", "GNU.sparse.minor": b"1", "GNU.sparse.size": b"1152921504606846976", "GNU.sparse.map": b"1152921504606846975,1"}); entry("f"); end()'
	refused_by copy
	# a directory 3000 deep, each with the ones before it named again
	try 'entry("/".join(["d"] * 1900) + "/f"); end()'
	# a gigabyte of zeros in a megabyte
	head -c 1000000000 /dev/zero | gzip -1 >layer.gz
	[ "$(stat -c %s layer.gz)" -lt 10000000 ]
	run timeout -k 5 $((150 * ${SBX_TEST_SLOW:-1})) "$SBX" import layer.gz evil:2
	[ "$status" -le 1 ]
	[ "$(du -s "$SBX_ROOT/layers" | cut -f 1)" -lt 100000 ]
	# an archive in itself: an index that names itself
	python3 - <<-'END'
		import io, json, tarfile
		j = json.dumps([{"Config": "manifest.json", "Layers": ["manifest.json"] * 1000, "RepoTags": ["evil:1"]}]).encode()
		with tarfile.open("as.tar", "w") as t:
		    i = tarfile.TarInfo("manifest.json"); i.size = len(j); t.addfile(i, io.BytesIO(j))
	END
	run -1 timeout -k 5 150 "$SBX" load -i as.tar
}

# If each emptying walked the directory, this would take hours.
@test "a directory that a layer empties again and again" {
	evil 'header("d", kind=b"5")
for n in range(30000): header("d/%d" % n); header("d/.wh..wh..opq")
end()'
	(ulimit -t $((50 * ${SBX_TEST_SLOW:-1})); sbx load -i as.tar)
	equal "$(sbx run --rm evil:1 /bin/true 2>&1 | grep -c 'no such file')" 1
	sbx image rm evil:1
}
