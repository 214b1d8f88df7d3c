# import of odd and of hostile archives. The layers are examined with unsquashfs, for which no container is
# needed.

load lib

# tar_of FILE: makes a tar by python code on standard input, which has `t`, an open tar, add(name, data, **fields) and kinds
# of links
tar_of() {
	{
		cat <<-'PY'
			import io, sys, tarfile
			from tarfile import CHRTYPE, DIRTYPE, FIFOTYPE, LNKTYPE, PAX_FORMAT, REGTYPE, SYMTYPE, TarInfo
			t = tarfile.open(sys.argv[1], "w", format=PAX_FORMAT)
			def add(name, data=b"", type=REGTYPE, **fields):
			    i = TarInfo(name)
			    i.type, i.size = type, len(data) if type == REGTYPE else 0
			    for k, v in fields.items():
			        setattr(i, k, v)
			    t.addfile(i, io.BytesIO(data))
		PY
		cat
		echo 't.close()'
	} >make.py
	python3 make.py "$1"
}

# layer REF: prints the path of the image's only layer
layer() {
	local id
	id=$(sbx image inspect -f '{{index .RootFS.Layers 0}}' "$1")
	echo "$SBX_ROOT/layers/${id#sha256:}.sqsh"
}

listing() {
	unsquashfs -lln "$(layer "$1")" | sed 's/squashfs-root//'
}

content() {
	unsquashfs -cat "$(layer "$1")" "$2"
}

# refused WORDS: bad.tar is not imported, with this error
refused() {
	run -1 --separate-stderr sbx import bad.tar "$c"
	contains "$stderr" "$1"
	run -1 --separate-stderr sbx image inspect "$c"
	equal "$(find "$SBX_ROOT/layers" -name 'tmp-*')" ""
}

@test "a name that leads out of the image is refused" {
	tar_of bad.tar <<<'add("a/../../x", b"x")'
	refused 'leads out of the image'
}

@test "the root of an archive is no link" {
	mkdir outside
	tar_of bad.tar <<<"add('.', type=SYMTYPE, linkname='$PWD/outside'); add('f', b'x')"
	refused '"." is no name for a file'
	tar_of bad.tar <<<"add('./', type=SYMTYPE, linkname='$PWD/outside'); add('./f', b'x')"
	refused 'no name for a file'
	equal "$(echo outside/*)" 'outside/*'
}

@test "a name that leads up and down within the image is cleaned" {
	tar_of t.tar <<<'add("./a/../b//c", b"x"); add("/abs", b"y")'
	sbx import t.tar "$c" >/dev/null
	equal "$(content "$c" b/c)$(content "$c" abs)" xy
}

@test "a name that is commands to a terminal is told as a name (CVE-2021-25743)" {
	tar_of bad.tar <<<'add("a/../../\x1b]0;evil\x07\x7f", b"x")'
	refused 'a/../../\x1b]0;evil\x07\x7f" leads out of the image'
	lacks "$stderr" $'\x1b'
	run -127 --separate-stderr sbx run --rm "$box" $'no\x1b[31msuch'
	contains "$stderr" 'no\x1b[31msuch'
	lacks "$stderr" $'\x1b'
	sbx run -d --name "$c" "$box" sleep 100000 $'\x1b[31m' >/dev/null || true
	lacks "$(sbx ps -a --no-trunc)" $'\x1b'
}

# Which stand for ESC and a letter, in UTF-8 as well.
@test "... and one that is commands of eight bits" {
	local csi=$'\xc2\x9b'
	run -127 --separate-stderr sbx run --rm "$box" "no${csi}31msuch"
	contains "$stderr" 'no\u009b31msuch'
	sbx create --name "$c" "$box" true "${csi}31m" >/dev/null
	contains "$(sbx ps -a --no-trunc)" '"true \u009b31m"'
	sbx commit -m "${csi}31m" "$c" "$c" >/dev/null
	contains "$(sbx history "$c")" '??31m'
	sbx rmi "$c" >/dev/null
	sbx rm "$c"
}

@test "on a terminal diff and events show what commands it as question marks" {
	local name=$'\x1b[31m\xc2\x9b1m' out
	sbx run --name "$c" --label "l=$name" "$box" touch "/$name"
	out=$(python3 "$BATS_TEST_DIRNAME/terminal.py" -- "$SBX" diff "$c")
	equal "${out%$'\r'}" 'A /?[31m??1m'
	equal "$(sbx diff "$c")" "A /$name"
	out=$(python3 "$BATS_TEST_DIRNAME/terminal.py" -- "$SBX" events --since 1h --until "$(date +%s.%N)" --filter "container=$c")
	contains "$out" 'l=?[31m??1m'
	lacks "$out" $'\x1b'
	contains "$(sbx events --since 1h --until "$(date +%s.%N)" --filter "container=$c")" "l=$name"
	sbx rm "$c"
}

@test "an entry below a symbolic link lies where that leads in the image, as with docker" {
	local id
	tar_of t.tar <<-'PY'
		add("usr/lib", type=DIRTYPE, mode=0o755); add("lib", type=SYMTYPE, linkname="./usr//lib/")
		add("usr/abs", type=SYMTYPE, linkname="/lib"); add("up", type=SYMTYPE, linkname="../../../lib/../lib")
		add("lib/a", b"a"); add("usr/abs/b/c", b"c"); add("up/d", b"d"); add("h", type=LNKTYPE, linkname="lib/a")
	PY
	sbx import t.tar "$c" >/dev/null
	equal "$(content "$c" usr/lib/a)$(content "$c" usr/lib/b/c)$(content "$c" usr/lib/d)$(content "$c" h)" acda
	contains "$(listing "$c")" '/lib -> ./usr//lib/'
	# written again it is the same
	id=$(sbx image inspect -f '{{.Id}}' "$c")
	sbx save -o saved.tar "$c"
	sbx rmi "$c" >/dev/null
	sbx load -qi saved.tar
	equal "$(sbx image inspect -f '{{.Id}}' "$c")" "$id"
}

@test "... but not where that leads to no directory of the image" {
	tar_of bad.tar <<<'add("way", type=SYMTYPE, linkname="/etc"); add("way/passwd", b"x")'
	refused 'lies below the symbolic link "way", which leads to no directory'
	tar_of bad.tar <<<'add("f", b""); add("way", type=SYMTYPE, linkname="f"); add("way/x", b"x")'
	refused 'leads to no directory'
	tar_of bad.tar <<<'add("a", type=SYMTYPE, linkname="b"); add("b", type=SYMTYPE, linkname="a"); add("a/x", b"x")'
	refused 'leads to no directory'
}

@test "links do not make a tree deeper than a name can be, nor take for ever" {
	tar_of bad.tar <<-'PY'
		for i in range(5):
		    below = ("l%d/" % (i - 1) if i else "") + "/".join(["d"] * 600)
		    add(below, type=DIRTYPE, mode=0o755)
		    add("l%d" % i, type=SYMTYPE, linkname=below)
	PY
	refused 'a name of more than 4096 bytes'
	tar_of bad.tar <<-'PY'
		add("d/d", type=DIRTYPE, mode=0o755)
		add("l", type=SYMTYPE, linkname="d/../" * 800)
		for i in range(100000):
		    add("l/" * 39 + "f%d" % i)
	PY
	refused 'leads to no directory'
}

@test "a hard link to what is not in the archive is refused" {
	tar_of bad.tar <<<'add("l", type=LNKTYPE, linkname="../../etc/passwd")'
	refused 'link /etc/passwd /l: no such file or directory'
}

@test "a cut archive is refused" {
	tar_of whole.tar <<<'add("f", b"x" * 100000)'
	head -c 50000 whole.tar >bad.tar
	refused 'Error response from daemon: unexpected EOF'
	gzip -c whole.tar | head -c 100 >bad.tar
	refused 'Error response from daemon: unexpected EOF'
	for missing in 1 4 8; do # of the sum and the size at its end
		gzip -c whole.tar | head -c "-$missing" >bad.tar
		refused 'Error response from daemon: unexpected EOF'
		run -1 --separate-stderr sbx load -i bad.tar
		contains "$stderr" 'unexpected EOF'
	done
}

# FILE with its byte N from the end changed
damaged() { python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); b[-int(sys.argv[2])] ^= 1; sys.stdout.buffer.write(b)' "$@"; }

@test "a gzip whose sum or length is wrong is refused, and one with something else behind it" {
	tar_of whole.tar <<<'add("f", b"x" * 100000)'
	gzip -k whole.tar
	for byte in 8 1; do # of the sum; of the length
		damaged whole.tar.gz "$byte" >bad.tar
		refused 'Error response from daemon: gzip: invalid checksum'
	done
	{ cat whole.tar.gz && echo 'what is no gzip'; } >bad.tar
	refused 'Error response from daemon: gzip: invalid header'
	{ head -c 5000 whole.tar | gzip && tail -c +5001 whole.tar | gzip; } >two.tar.gz
	sbx import two.tar.gz "$c" >/dev/null
	sbx save "$c" | gzip >saved.gz
	damaged saved.gz 8 >bad.tar
	run -1 --separate-stderr sbx load -i bad.tar
	contains "$stderr" 'gzip: invalid checksum'
}

@test "attributes of overlayfs in an archive are dropped, the user's are kept" {
	tar_of t.tar <<-'PY'
		add("d", type=DIRTYPE, mode=0o755, pax_headers={"SCHILY.xattr.user.overlay.redirect": "/etc"})
		add("f", b"x", pax_headers={"SCHILY.xattr.user.mine": "kept", "SCHILY.xattr.trusted.overlay.opaque": "y"})
	PY
	sbx import t.tar "$c" >/dev/null
	python3 -c 'import os; os.setxattr(".", "user.probe", b"")' || skip "no package gives it: user attributes in this directory"
	run unsquashfs -n -q -d out "$(layer "$c")" # one of trusted.* would be complained about
	lacks "$output" attr
	equal "$(python3 -c 'import os; print(os.listxattr("out/d"), os.listxattr("out/f"))')" "[] ['user.mine']"
}

@test "attributes larger than a file can have are refused, as a file with them could not be read" {
	tar_of bad.tar <<<'add("f", b"x", pax_headers={"SCHILY.xattr.user.x": "v" * 65537})'
	refused 'lsetxattr user.x /f: argument list too long'
	tar_of bad.tar <<<'add("f", b"x", pax_headers={"SCHILY.xattr.user." + "n" * 251: "v"})'
	refused 'n /f: numerical result out of range'
	tar_of bad.tar <<<'add("f", b"x", pax_headers={"SCHILY.xattr.user.%d" % i: "v" for i in range(10000)})'
	refused 'no space left on device'
	tar_of t.tar <<<'add("f", b"x", pax_headers={"SCHILY.xattr.user.%d" % i + "n" * 240: "v" * 65000 for i in range(10)})'
	sbx import t.tar "$c" >/dev/null
	sbx create --name "$c" "$c" true >/dev/null
	sbx export -o out.tar "$c"
	equal "$(tar -xOf out.tar f)" x
	sbx rm "$c" >/dev/null
}

@test "attributes of all sizes, and however many, are exported" {
	tar_of t.tar <<<'add("f", b"x", pax_headers={"SCHILY.xattr.user.%d" % i + "n" * 100: "v" * 65000 * (i == 7) for i in range(300)})'
	sbx import t.tar "$c" >/dev/null
	sbx create --name "$c" "$c" true >/dev/null
	sbx export -o out.tar "$c"
	equal "$(python3 -c 'import tarfile
found = tarfile.open("out.tar").getmember("f").pax_headers
print(len([1 for k in found if k.startswith("SCHILY.xattr.user.")]), len(found["SCHILY.xattr.user.7" + "n" * 100]))')" "300 65000"
	sbx rm "$c" >/dev/null
}

@test "modes, owners, links, pipes and devices are what the archive says" {
	tar_of t.tar <<-'PY'
		add("s", b"x", mode=0o4755, uid=5, gid=70000)
		add("p", type=FIFOTYPE, mode=0o600)
		add("n", type=CHRTYPE, mode=0o666, devmajor=1, devminor=3)
		add("l", type=SYMTYPE, linkname="../anywhere")
		add("h", type=LNKTYPE, linkname="./s")
		add("dir", type=DIRTYPE, mode=0o1777)
	PY
	sbx import t.tar "$c" >/dev/null
	run -0 listing "$c"
	contains "$output" "-rwsr-xr-x 5/70000"
	contains "$output" "prw-------"
	[[ $output =~ crw-rw-rw-\ 0/0\ +1,\ +3\  ]]
	[[ $output =~ lrwxrwxrwx.*/l\ -\>\ ../anywhere ]]
	contains "$output" "drwxrwxrwt"
	equal "$(content "$c" h)" x
}

@test "of several entries with one name the last one counts" {
	tar_of t.tar <<-'PY'
		add("f", b"old"); add("f", b"new")
		add("d/x", b"x"); add("d", b"a file now")
		add("e", b"a file"); add("e/y", b"below")
	PY
	sbx import t.tar "$c" >/dev/null
	equal "$(content "$c" f) $(content "$c" d) $(content "$c" e/y)" "new a file now below"
}

@test "names long, foreign and not even text" {
	python3 - <<-'PY'
		import io, tarfile
		t = tarfile.open("t.tar", "w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape")
		for n in ["x" * 200 + "/" + "y" * 200, "größe/文件", b"caf\xe9".decode("utf-8", "surrogateescape")]:
		    i = tarfile.TarInfo(n); i.size = 1
		    t.addfile(i, io.BytesIO(b"z"))
		t.close()
	PY
	sbx import t.tar "$c" >/dev/null
	run -0 listing "$c"
	contains "$output" "/$(printf 'x%.0s' {1..200})/$(printf 'y%.0s' {1..200})"
	contains "$output" "/größe/文件"
	contains "$output" $'/caf\xe9'
}

@test "a sparse file keeps its size and its holes" {
	truncate -s 50M hole
	printf end >>hole
	tar -cSf t.tar hole
	sbx import t.tar "$c" >/dev/null
	equal "$(content "$c" hole | tail -c 3)" end
	equal "$(content "$c" hole | wc -c)" $((50 * 1048576 + 3))
	[ "$(stat -c %s "$(layer "$c")")" -lt 100000 ]
}

@test "whiteouts of the lowest layer hide nothing and are dropped" {
	tar_of t.tar <<<'add("d/.wh.gone"); add("d/.wh..wh..opq"); add("d/f", b"x")'
	sbx import t.tar "$c" >/dev/null
	[[ $(listing "$c") != *wh.* ]]
	equal "$(content "$c" d/f)" x
}

@test "the digest of the layer is that of the tar, however it was compressed" {
	tar_of t.tar <<<'add("f", b"x")'
	want=sha256:$(sha256sum <t.tar | cut -d ' ' -f 1)
	gzip -k t.tar
	sbx import t.tar "$c:plain" >/dev/null
	sbx import t.tar.gz "$c:gz" >/dev/null
	equal "$(sbx image inspect -f '{{index .RootFS.Layers 0}}' "$c:plain")" "$want"
	equal "$(sbx image inspect -f '{{index .RootFS.Layers 0}}' "$c:gz")" "$want"
}

@test "a directory is imported, the same one to the same layer" {
	mkdir -p d/sub
	echo x >d/sub/f
	ln d/sub/f d/again
	sbx import d "$c:1" >/dev/null
	sbx import d "$c:2" >/dev/null
	equal "$(layer "$c:1")" "$(layer "$c:2")"
	equal "$(content "$c:1" again)" x
	contains "$(listing "$c:1")" "-rw-r--r-- 0/0"
}

@test "an import that is killed leaves no image and ends its helper" {
	mkfifo pipe
	"$SBX" import - "$c" <pipe &
	pid=$!
	exec 7>pipe
	head -c 100000 /dev/zero >&7
	eventually has_helper $pid
	kill -9 $pid
	wait $pid || true
	exec 7>&-
	eventually gone "$helper"
	run -1 --separate-stderr sbx image inspect "$c"
}

has_helper() {
	local reader
	reader=$(pgrep -P "$1") && helper=$(pgrep -P "$reader" -x sbx-archive)
}

# Seen while the archive is being read: sbx and its helper process.
@test "who reads an archive is confined" {
	mkfifo pipe
	"$SBX" import - "$c" <pipe &
	pid=$!
	exec 7>pipe
	head -c 100000 /dev/zero >&7
	eventually has_helper $pid
	for one in $(pgrep -P $pid) "$helper"; do
		eventually grep -qx $'Seccomp:\t2' "/proc/$one/status"
		grep -qx $'NoNewPrivs:\t1' "/proc/$one/status"
	done
	# it may use at most half of the machine's memory
	most=$(awk '/^Max data size/ { print $4 }' "/proc/$helper/limits")
	grep -q __asan_init "/proc/$helper/exe" || [ "$most" -le $(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) * 512)) ]
	filters=$(awk '/^Seccomp_filters/ { print $2 }' "/proc/$helper/status")
	[ -z "$filters" ] || eventually eval '[ "$(awk "/^Seccomp_filters/ { print \$2 }" /proc/$helper/status)" -ge 2 ]'
	exec 7>&-
	wait $pid || true
}

@test "who expands a compressed archive is confined" {
	mkfifo pipe
	"$SBX" load <pipe 3>&- &
	background+=($!)
	exec 7>pipe
	head -c 100000 /dev/urandom >f
	tar -cz f | head -c 50000 >&7
	eventually has_helper "${background[-1]}"
	grep -q ^Seccomp_filters "/proc/$helper/status" || lacking "a kernel that counts filters"
	# two filters: its parent's, and its own
	eventually eval '[ "$(awk "/^Seccomp_filters/ { print \$2 }" /proc/$helper/status)" -ge 2 ]'
	exec 7>&-
}

@test "what is no archive is refused while more of it may come" {
	mkfifo never
	exec 7<>never
	head -c 100000 /dev/urandom >&7 &
	run -1 --separate-stderr "$SBX" import - "$c:1" <never 7>&-
	[[ $stderr == *"archive/tar: invalid tar header"* ]]
	exec 7>&-
}
