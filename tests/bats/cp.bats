#!/usr/bin/env bats
# cp, of containers in all states. Docker's rules about names are in oracle cases; here is what must never
# happen, and what docker does not have.

load lib

created() {
	sbx create --name "$c" --network none "$@" "$box" sleep 1000 >/dev/null
}

@test "a link in a created container does not lead out of it" {
	created
	echo secret >"$BATS_TEST_TMPDIR/secret"
	mkdir t
	ln -s "$BATS_TEST_TMPDIR" t/out
	ln -s ../../../../../../../../../../../etc/hostname t/up
	sbx cp t "$c:/t"
	run -1 --separate-stderr sbx cp "$c:/t/out/secret" got
	[ ! -e got ]
	echo new >new
	run -1 --separate-stderr sbx cp new "$c:/t/out/secret"
	[ "$(cat secret)" = secret ]
}

@test "a pipe has its mode and time, whatever the mask of the caller" {
	sbx run --name "$c" --network none "$box" sh -c 'mkdir /d && mkfifo -m 462 /d/p && touch -d @1000000000 /d/p'
	umask 077
	sbx cp "$c:/d" out
	equal "$(stat -c '%F %a %Y' out/p)" 'fifo 462 1000000000'
	sbx cp out "$c:/e"
	equal "$(sbx cp "$c:/e/p" - | tar -tv | cut -c 1-10)" pr--rw--w-
	sbx rm "$c" >/dev/null
}

@test "a link in a running container does not lead out of it" {
	created
	sbx start "$c" >/dev/null
	sbx exec "$c" ln -s "$BATS_TEST_TMPDIR" /out
	echo secret >secret
	run -1 --separate-stderr sbx cp "$c:/out/secret" got
	run -1 --separate-stderr sbx cp secret "$c:/out/other"
	[ ! -e other ]
	[ ! -e got ]
	sbx rm -f "$c" >/dev/null
}

@test "an archive out of a container writes nothing outside of the destination" {
	created
	mkdir dest evil
	python3 - >evil.tar <<-'END'
		import io, sys, tarfile
		t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
		d = tarfile.TarInfo("s"); d.type = tarfile.DIRTYPE; d.mode = 0o755; t.addfile(d)
		l = tarfile.TarInfo("s/l"); l.type = tarfile.SYMTYPE; l.linkname = "../../evil"; t.addfile(l)
		t.close()
	END
	sbx cp - "$c:/" <evil.tar
	run -1 --separate-stderr sbx cp "$c:/s" dest
	[[ $stderr == "invalid symlink \"$PWD/dest/s/l\" -> \"../../evil\"" ]]
	[ ! -L dest/s/l ]
	echo x >x
	sbx cp x "$c:/s/x"
	[ ! -e dest/s ]
	# a link that was there before is not followed out of the destination, either
	ln -s ../evil dest/s
	run -1 --separate-stderr sbx cp "$c:/s" dest
	[ -z "$(ls -A evil)" ]
}

@test "an archive with names that lead out is refused" {
	created
	for name in ../x a/../../x; do
		python3 - "$name" >evil.tar <<-'END'
			import io, sys, tarfile
			t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
			f = tarfile.TarInfo(sys.argv[1]); f.size = 1; t.addfile(f, io.BytesIO(b"x"))
			t.close()
		END
		run -1 --separate-stderr sbx cp - "$c:/tmp" <evil.tar
		[[ $stderr == *'"../x" is outside of "/tmp"'* ]]
	done
}

# entries NAME TYPE...: writes an archive of these; a file's content is its name
entries() {
	python3 - "$@" <<-'END'
		import io, sys, tarfile
		t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|")
		for name, kind in zip(sys.argv[1::2], sys.argv[2::2]):
		    f = tarfile.TarInfo(name)
		    f.type, f.mode, f.size = kind.encode(), 0o755, len(name) * (kind == "0")
		    t.addfile(f, io.BytesIO(name.encode()))
		t.close()
	END
}

@test "an archive writes nothing through a link that is there, and a device takes no place" {
	sbx run -d --name "$c" "$box" sh -c 'mkdir /a /other && ln -s /other /a/d && echo stays >/a/f && exec sleep 100000' >/dev/null
	eventually sbx exec "$c" test -e /a/f
	entries d 5 d/x 0 >tar
	run -1 sbx cp - "$c:/a" <tar
	contains "$output" 'cannot overwrite non-directory "/a/d" with directory'
	equal "$(sbx exec "$c" sh -c 'ls /other; readlink /a/d')" /other
	entries f 3 new 4 g 0 >tar
	sbx cp - "$c:/a" <tar
	equal "$(sbx exec "$c" sh -c 'cat /a/f /a/g; ls /a' | tr '\n' ' ')" "stays gd f g "
}

@test "a file that is half copied can be read by nobody else" {
	sbx run -d --name "$c" "$box" sh -c 'mkdir /a && exec sleep 100000' >/dev/null
	eventually sbx exec "$c" test -e /a
	dir=$SBX_ROOT/containers/$(sbx inspect -f '{{.Id}}' "$c")/upper/a
	mkfifo pipe
	"$SBX" cp - "$c:/a" <pipe 2>/dev/null 3>&- &
	background+=($!)
	python3 -c '
import tarfile, sys
f = tarfile.TarInfo("f"); f.size, f.mode = 2000000, 0o777
sys.stdout.buffer.write(f.tobuf() + bytes(1000000))
sys.stdout.flush()
sys.stdin.read()' >pipe <>"$BATS_FILE_TMPDIR/never" 3>&- &
	background+=($!)
	has_part() {
		part=$(find "$dir" -name '.sbx-*')
		[ -n "$part" ]
	}
	eventually has_part
	equal "$(stat -c %a "$part")" 600
}

# killed_half_way: copies /f to d until a process could be killed that had a file in there open
killed_half_way() {
	python3 -c '
import os, subprocess, sys

def has_file_in(pid, place):
    try:
        at = "/proc/%d/fd/" % pid
        return any(os.readlink(at + fd).startswith(place) for fd in os.listdir(at))
    except OSError:
        return False

while True:
    p = subprocess.Popen([sys.argv[1], "cp", sys.argv[2] + ":/f", sys.argv[3]], stderr=subprocess.DEVNULL)
    while p.poll() is None:
        if has_file_in(p.pid, sys.argv[3]):
            p.kill()
            p.wait()
    if p.returncode == -9:
        break' "$SBX" "$c" "$PWD/d/"
}

@test "who is killed while a file is copied out leaves no part of it" {
	sbx run --name "$c" "$py" python3 -c 'open("/f", "wb").write(bytes(range(256)) * (64 << 12))'
	mkdir d
	killed_half_way
	equal "$(ls -A d)" ""
	echo other >d/f
	killed_half_way
	equal "$(ls -A d) $(cat d/f)" "f other"
	sbx cp "$c:/f" d
	equal "$(stat -c %s d/f)" $((64 << 20))
}

@test "a truncated archive is an error" {
	created
	head -c 100000 /dev/urandom >f
	tar -cf t.tar f
	head -c 50000 t.tar >cut.tar
	run -1 --separate-stderr sbx cp - "$c:/tmp" <cut.tar
	[[ $stderr == *"unexpected EOF"* ]]
	run -1 --separate-stderr sbx cp - "$c:/tmp" <f
	[[ $stderr == *"invalid tar header"* ]]
	head -c 400000 /dev/urandom >f # more than is written at once
	tar -cf t.tar f
	head -c 350000 t.tar >cut.tar
	run -1 --separate-stderr sbx cp - "$c:/tmp" <cut.tar
	[[ $stderr == *"unexpected EOF"* ]]
	equal "$(sbx cp "$c:/tmp" - | tar -t)" tmp/ # no part of it is left
}

@test "a compressed archive goes in, from a file and from a pipe" {
	created
	mkdir many
	head -c 300000 /dev/urandom >many/a
	echo b >many/b
	tar -cf t.tar many
	for by in gzip bzip2 xz zstd; do
		"$by" -c t.tar >t.z
		sbx cp - "$c:/tmp" <t.z
		sbx cp "$c:/tmp/many" "of-$by"
		diff -r many "of-$by"
		mkdir "in-$by"
		sbx cp "in-$by" "$c:/piped"
		{
			head -c 5 t.z
			tail -c +6 t.z
		} | sbx cp - "$c:/piped"
		sbx cp "$c:/piped/many" "piped-$by"
		diff -r many "piped-$by"
		sbx start "$c" >/dev/null # the second time into a running container
	done
	sbx rm -f "$c" >/dev/null
}

@test "sparse files come out of a tar as what they are, in each of GNU's forms" {
	sparse_files
	created
	for form in gnu "posix --sparse-version=0.0" "posix --sparse-version=0.1" "posix --sparse-version=1.0"; do
		# shellcheck disable=SC2086
		tar --format=$form -Scf t.tar many
		[ "$(stat -c %s t.tar)" -lt 2000000 ]
		sbx cp - "$c:/tmp" <t.tar
		rm -rf out
		sbx cp "$c:/tmp/many" out
		diff -r many out
		"$SBX" cp - "$c:/home" < <(cat t.tar) # from a pipe
		rm -rf out
		sbx cp "$c:/home/many" out
		diff -r many out
		sbx import t.tar "$c" >/dev/null
		sbx create --name "$c-i" "$c" true >/dev/null
		rm -rf out
		sbx cp "$c-i:/many" out
		diff -r many out
		sbx rm "$c-i" >/dev/null
		sbx save "$c" >saved.tar
		sbx rmi "$c" >/dev/null
		sbx load -qi saved.tar >/dev/null
		sbx rmi "$c" >/dev/null
	done
	sbx start "$c" >/dev/null
	equal "$(sbx exec "$c" sh -c 'cd /tmp/many; du -k hole | cut -f 1; [ $(du -k end | cut -f 1) -lt 1000 ] && echo holes')" $'0\nholes'
	sbx rm -f "$c" >/dev/null
}

@test "the map of a sparse file that lies is an error, and leaves what was there" {
	created
	python3 - <<-'END'
		import io, tarfile
		def write(n, records, data, name="GNUSparseFile.0/f", kind=None, head=None):
		    t = tarfile.TarInfo(name); t.size = len(data); t.pax_headers = records
		    b = io.BytesIO()
		    with tarfile.open(fileobj=b, mode="w", format=tarfile.PAX_FORMAT) as f: f.addfile(t, io.BytesIO(data))
		    b = bytearray(b.getvalue())
		    if head:
		        b[156:157] = b"S"; b[257:265] = b"ustar  \0"; b[345:500] = bytes(155)
		        for at, what in head: b[at:at + len(what)] = what
		        b[148:156] = b" " * 8; b[148:156] = b"%06o\0 " % sum(b[:512])
		    open(f"lie{n}.tar", "wb").write(b)
		def v01(n, size, count, map, data, **more):
		    write(n, {"GNU.sparse.name": "f", "GNU.sparse.size": str(size), "GNU.sparse.numblocks": str(count), "GNU.sparse.map": map}, data, **more)
		def v10(n, size, map, data):
		    write(n, {"GNU.sparse.name": "f", "GNU.sparse.realsize": str(size), "GNU.sparse.major": "1", "GNU.sparse.minor": "0"},
		        map + bytes(-len(map) % 512) + data)
		d = b"d" * 512
		v01(0, 4096, 2, "0,512,256,512", d + d)                    # overlapping
		v01(1, 4096, 2, "1024,512,0,512", d + d)                   # backwards
		v01(2, 4096, 1, "4000,512", d)                             # beyond the size
		v01(3, 4096, 1, "9223372036854775807,512", d)              # overflowing
		v01(4, 4096, 1, "99999999999999999999,512", d)
		v01(5, 4096, 2, "0,512", d)                                # fewer than announced
		v01(6, 4096, 1, "0,512,1024,512", d + d)                   # more
		v01(7, 4096, 1, "0,1024", d)                               # data missing
		v01(8, 4096, 1, "0,512", d + d)                            # data left over
		v01(9, 4096, 1, "-512,512", d)
		v01(10, 4096, 1, "0,,512", d)
		v01(11, -1, 0, "", b"")
		v10(12, 4096, b"99999999999999999\n0\n512\n", d)         # more than there are
		v10(13, 4096, b"1\n0\n512", d)                            # a map without its end
		v10(14, 4096, b"x\n", d)
		v10(15, 4096, b"1\n" + b"0" * 4096 + b"\n512\n", d)
		v10(16, 4096, b"2\n0\n512\n0\n512\n", d + d)
		v10(17, 4096, b"1\n0\n512\n", b"")
		write(19, {"GNU.sparse.major": "2", "GNU.sparse.minor": "0", "GNU.sparse.size": "512"}, d)
		write(20, {"GNU.sparse.major": "1", "GNU.sparse.minor": "0"}, d)
		old = lambda n, *pairs, more=b"\0": write(n, {}, d, "f", head=[(386 + 12 * i, b"%011o\0" % p) for i, p in enumerate(pairs)]
		    + [(482, more), (483, b"%011o\0" % 4096)])
		old(21, 1024, 512, 0, 0)
		old(22, 4096, 512)
		old(23, 0, 512, more=b"\1")                                # more of the map in the next block, which is data
		old(24, 0, 1024)
	END
	mkdir in out
	echo there >in/f
	sbx cp in/. "$c:/tmp"
	for tar in lie*.tar; do
		run -1 --separate-stderr sbx cp - "$c:/tmp" <"$tar"
		[[ $stderr == "Error response from daemon: "* ]]
		sbx cp "$c:/tmp/." out
		diff -r in out || { echo "$tar" && return 1; }
	done
}

@test "a compressed archive that is cut, or none, is an error" {
	created
	head -c 100000 /dev/urandom >f
	tar -c f | gzip >t.gz
	head -c 50000 t.gz >cut.gz
	run -1 --separate-stderr sbx cp - "$c:/tmp" <cut.gz
	[ "$stderr" = "Error response from daemon: unexpected EOF" ]
	{ head -c -8 t.gz && echo 1234567; } >sum.gz
	run -1 --separate-stderr sbx cp - "$c:/tmp" <sum.gz
	[ "$stderr" = "Error response from daemon: gzip: invalid checksum" ]
	gzip -c f >none.gz
	run -1 --separate-stderr sbx cp - "$c:/tmp" <none.gz
	[ "$stderr" = "Error response from daemon: archive/tar: invalid tar header" ]
	sbx create --name "$c-ro" --read-only "$box" true >/dev/null
	run -1 --separate-stderr sbx cp - "$c-ro:/tmp" <t.gz
	[ "$stderr" = "Error response from daemon: container rootfs is marked read-only" ]
}

@test "who refuses a compressed archive does not wait for the rest of it" {
	created
	python3 - >evil.gz <<-'END'
		import gzip, io, sys, tarfile
		t = tarfile.open(fileobj=sys.stdout.buffer, mode="w|gz")
		f = tarfile.TarInfo("../x"); f.size = 1000000; t.addfile(f, io.BytesIO(bytes(f.size)))
		t.close()
	END
	mkfifo endless
	exec 7<>endless
	cat evil.gz >&7
	run -1 --separate-stderr sbx cp - "$c:/tmp" <endless
	[[ $stderr == *'"../x" is outside of "/tmp"'* ]]
	exec 7>&-
}

@test "what comes out of a compressed archive is bounded" {
	head -c 1000000 /dev/zero | gzip >bomb.gz
	run ! bash -c 'set -o pipefail; "${SBX%/*}/sbx-archive" plain most=100000 <bomb.gz 3>why | wc -c >n'
	grep -q "come out of it" why
	[ "$(cat n)" -le 100000 ]
}

@test "long names, links of one file, attributes and odd modes go in and come out" {
	created
	long=$(printf 'n%.0s' {1..200})
	mkdir -p "s/$long/$long"
	echo x >"s/$long/$long/$long"
	echo y >s/one
	ln s/one s/two
	ln -s "$long/$long/$long/$long" s/link
	chmod 2750 s/one
	mkfifo s/fifo
	setfattr -n user.note -v hi s/one 2>/dev/null || true
	mkdir -m 555 s/closed
	sbx cp s "$c:/s"
	sbx cp "$c:/s" back
	diff -r --no-dereference -x fifo s back
	[ -p back/fifo ]
	[ back/one -ef back/two ]
	[ "$(stat -c %a back/one)" = 2750 ]
	[ "$(stat -c %a back/closed)" = 555 ]
	if getfattr -n user.note s/one >/dev/null 2>&1; then
		getfattr -n user.note back/one
	fi
	chmod 755 s/closed back/closed
	# again, over themselves: each name occurs once
	tar -C s -c one two two | sbx cp - "$c:/s"
	sbx cp "$c:/s" - | tar -t >names
	diff <(sed 's|/$||' names | sort) <(find s | sort)
}

@test "what was copied into a created container is there when it starts, and starts again" {
	sbx create --name "$c" --network none "$box" cat /f >/dev/null
	echo 1 >f
	sbx cp f "$c:/f"
	[ "$(sbx start -a "$c")" = 1 ]
	echo 2 >f
	sbx cp f "$c:/f"
	[ "$(sbx start -a "$c")" = 2 ]
}

@test "a container of one user gives and takes files" {
	created -u 1234:1234
	sbx start "$c" >/dev/null
	echo x >f
	sbx cp f "$c:/tmp/f"
	sbx cp "$c:/tmp/f" - >f.tar
	[ "$(tar -xOf f.tar)" = x ]
	sbx rm -f "$c" >/dev/null
}

@test "a volume of a stopped container is reached, a read-only one is not written" {
	mkdir data
	echo v >data/f
	created -v "$PWD/data:/data" -v "$PWD/data:/ro:ro"
	sbx cp "$c:/data/f" got
	[ "$(cat got)" = v ]
	sbx cp got "$c:/data/g"
	[ -e data/g ]
	run -1 --separate-stderr sbx cp got "$c:/ro/h"
	[[ $stderr == *"marked read-only"* ]]
	[ ! -e data/h ]
}

@test "a read-only root refuses a copy in every state" {
	created --read-only
	echo x >f
	run -1 --separate-stderr sbx cp f "$c:/f"
	[[ $stderr == *"container rootfs is marked read-only"* ]]
	sbx start "$c" >/dev/null
	run -1 --separate-stderr sbx cp f "$c:/f"
	[[ $stderr == *"container rootfs is marked read-only"* ]]
	sbx rm -f "$c" >/dev/null
}

@test "the whole of a running container comes out, without what the kernel shows" {
	created
	sbx start "$c" >/dev/null
	sbx cp "$c:/" - >all.tar
	tar -tPf all.tar >names
	grep -q '/busybox$' names
	run -1 grep '^/proc/.' names
	run -1 grep '^/sys/.' names
	sbx rm -f "$c" >/dev/null
}

# working CLIENT: finds its process in the container. A client has several, one after the other (the first only
# looks at the destination), so the pid is kept, and not looked for again.
working() {
	local keeper
	keeper=$(pgrep -P "$1" -x sbx-keeper) && inner=$(pgrep -P "$keeper" -x sbx-files)
}

@test "who works in a container's files is confined, and cannot be looked at by who is in there" {
	created
	mkfifo never
	"$SBX" cp - "$c:/tmp" <never 3>&- &
	background+=($!)
	exec 7>never
	printf 0123456789 >&7
	eventually working "$!"
	eventually grep -qx $'Seccomp:\t2' "/proc/$inner/status"
	grep -qx $'NoNewPrivs:\t1' "/proc/$inner/status"
	equal "$(stat -c %u "/proc/$inner/environ")" 0 # root's, since it is not dumpable
	exec 7>&-
}

@test "a client that is killed leaves no process in the container" {
	created
	mkfifo never
	"$SBX" cp - "$c:/tmp" <never &
	pid=$!
	exec 7>never
	printf 0123456789 >&7 # enough to see that it is not compressed
	eventually working "$pid"
	kill -9 "$pid"
	wait "$pid" || true
	eventually gone "$inner"
	exec 7>&-
}

@test "the success is reported on a terminal, or if that was asked for" {
	created
	echo x >f
	run --separate-stderr sbx cp --quiet=false f "$c:/f"
	[ "$stderr" = "Successfully copied 2.05kB to $c:/f" ]
	run --separate-stderr sbx cp f "$c:/f"
	[ -z "$stderr" ]
}

@test "large files go in and come out as they are, through pipes and files" {
	created
	head -c 3000001 /dev/urandom >large
	mkdir many
	cp large many/a
	head -c 70000 large >many/b
	head -c 100 large >many/c
	tar -cf many.tar many
	sbx cp many "$c:/piped"
	mkdir in out
	sbx cp in "$c:/in"
	sbx cp - "$c:/in" <many.tar
	tar -c many | sbx cp - "$c:/tmp"
	for from in /piped /in/many /tmp/many; do
		sbx cp "$c:$from" out/of
		diff -r many out/of
		sbx cp "$c:$from/." - | tar -xC in
		diff -r many in
		sbx cp "$c:$from/a" - >a.tar
		tar -xOf a.tar a | cmp - large
		rm -r out/of in/*
	done
}

@test "who reads a part of an archive hears no complaint" {
	created
	head -c 3000001 /dev/urandom >large
	sbx cp large "$c:/large"
	for what in "cp $c:/large -" "export $c"; do
		run bash -c "'$SBX' $what 2>said | head -c 1 >/dev/null; echo \${PIPESTATUS[0]}"
		[ "$output" = 141 ]
		[ ! -s said ]
	done
}

@test "a container that starts and ends again and again can be copied from at any moment" {
	sbx create --name "$c" "$box" true
	(for _ in {1..40}; do sbx start "$c"; done >/dev/null 2>&1) 3>&- &
	starter=$!
	while kill -0 "$starter" 2>/dev/null; do
		sbx cp -q "$c:/etc/passwd" passwd
	done
	[ -s passwd ]
}

@test "what the kernel refuses is told in Go's words, of the whole path" {
	created
	sbx start "$c" >/dev/null
	echo x >hosts
	run -1 --separate-stderr sbx cp hosts "$c:/etc/hosts"
	equal "$stderr" "Error response from daemon: unlinkat /etc/hosts: device or resource busy"
	run -1 --separate-stderr sbx cp "$c:/etc/passwd" /proc/x
	[[ $stderr == "open /proc/x: "[a-z]* ]]
	sbx rm -f "$c" >/dev/null
}

# docker waits for it, too.
@test "cp and export wait for who has a lease of a file to let go of it" {
	sbx run -d --name "$c" "$py" python3 -c '
import fcntl, os, signal
files = []
def let_go(*_):
    fcntl.fcntl(files.pop(0), fcntl.F_SETLEASE, fcntl.F_UNLCK)
signal.signal(signal.SIGIO, let_go)
def hold(name):
    with open(name, "w") as f:
        f.write(name)
    files.append(os.open(name, os.O_RDWR))
    fcntl.fcntl(files[-1], fcntl.F_SETLEASE, fcntl.F_WRLCK)
hold("/a")
hold("/b")
print("held", flush=True)
while True:
    signal.pause()
' >/dev/null
	held() { sbx logs "$c" 2>/dev/null | grep -q held; }
	eventually held
	sbx cp "$c:/a" - | tar -xO >a
	equal "$(<a)" /a
	sbx export "$c" | tar -xO b >b
	equal "$(<b)" /b
	sbx rm -f "$c"
}

@test "a path that goes on behind a file is told as what it is" {
	sbx create --name "$c" "$box" true
	run -1 --separate-stderr sbx cp "$c:/bin/busybox/x" .
	equal "$stderr" "Error response from daemon: lstat /bin/busybox/x: not a directory"
	sbx rm "$c"
}

@test "an archive of more directories than there is memory for their names" {
	unsanitized "memory has a limit"
	sbx run -d --name "$c" --tmpfs /t "$box" sleep 100000 >/dev/null
	python3 -c '
import sys, tarfile
def entry(path, mode=0o755):
    i = tarfile.TarInfo(path)
    i.type, i.mode, i.mtime = tarfile.DIRTYPE, mode, 1000000000
    sys.stdout.buffer.write(i.tobuf(tarfile.GNU_FORMAT))
path = ""
for n in range(15):
    path += chr(97 + n) * 255 + "/"
    entry(path)
for n in range(40000):
    entry(path + "%d" % n, 0o555)
    if n % 5000 == 0:
        entry(path + "%d/in" % n)
sys.stdout.buffer.write(bytes(1024))' | prlimit --as=150000000 "$SBX" cp - "$c:/t"
	equal "$(sbx exec "$c" find /t -type d | wc -l)" $((1 + 15 + 40000 + 8))
	equal "$(sbx exec "$c" sh -c 'cd /t; find . -mindepth 1 -exec stat -c "%Y %a" {} + | sort | uniq -c | tr -s " "')" \
		$' 40000 1000000000 555\n 23 1000000000 755'
}

# The process has joined the container's user namespace, whose root could trace it if it were dumpable; and it reads untrusted
# bytes.
@test "who copies in a running container can be looked at by nobody in it, is confined and dies with its client" {
	local byte files
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	sbx exec "$c" dd if=/dev/zero of=/large bs=65536 count=16 2>/dev/null
	behind cp "$c:/large" - # more than a pipe holds, so it waits for its reader
	IFS= read -rN1 -t $((90 * ${SBX_TEST_SLOW:-1})) -u "$from" byte
	files=$(pgrep -x -P "$client" sbx-files)
	[ "$(stat -c %u "/proc/$files/fd")" != "$(id -u)" ]
	equal "$(awk '/^Seccomp:/ { print $2 }' "/proc/$files/status")" 2
	kill -9 "$client"
	eventually gone "$files"
}

# ps caches the container's size until its directory changes.
@test "copying into a container that does not run shows in its directory" {
	local dir before
	created
	dir=$SBX_ROOT/containers/$(sbx inspect -f '{{.Id}}' "$c")
	before=$(stat -c %z "$dir")
	moved_on() { touch t && [ "$(stat -c %z t)" != "$before" ]; }
	eventually moved_on
	sbx cp t "$c:/t"
	[ "$(stat -c %z "$dir")" != "$before" ]
}

@test "what is relative to a directory that is gone is no file below the root" {
	sbx create --name "$c" "$box" true
	mkdir gone
	cd gone
	rmdir ../gone
	run -1 sbx cp "$c:/etc/passwd" "tmp/x$c"
	equal "$output" "getwd: no such file or directory"
	run -1 sbx cp etc/passwd "$c:/"
	equal "$output" "getwd: no such file or directory"
	sbx cp "$c:/etc/passwd" "$BATS_TEST_TMPDIR/x"
	cd ..
}

@test "the files of a container that waits for its next run can be had at once" {
	sbx run -d --name "$c" --restart always "$box" sh -c 'echo here >/file; exit 3' >/dev/null
	state() {
		sbx inspect -f '{{.State.Status}} {{.RestartCount}}' "$c"
	}
	between_runs() {
		before=$(state)
		[[ $before == restarting\ [5-9] ]] || return
		sbx cp "$c:/file" copied && sbx export -o tree.tar "$c" || return
		[ "$(state)" = "$before" ]
	}
	eventually between_runs
	equal "$(cat copied) $(tar xOf tree.tar file)" "here here"
}

@test "the files of a container whose first thread has ended, and others go on" {
	sbx run -d --name "$c" "$py" python3 -c '
import ctypes, os, threading, time
def go_on():
    while open("/proc/1/task/1/stat").read().split()[2] != "Z":
        time.sleep(0.01)
    print("alone", flush=True)
    time.sleep(100000)
open("/made", "w").write("here")
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)' >/dev/null
	eventually eval '[ "$(sbx logs "$c")" = alone ]'
	if ! output=$(timeout 30 "$SBX" cp "$c:/made" made 2>&1); then # not 60
		contains "$output" "its first thread has ended"
	else
		equal "$(cat made)" here
		sbx export "$c" | tar -tf - made
	fi
	sbx rm -f "$c" >/dev/null
}

# holds COMMAND...: begins one that writes a tar to us, which stands still after its first bytes; rest reads what is left.
holds() {
	behind "$@"
	head -c 512 <&"$from" >/dev/null
}

rest() {
	cat <&"$from" >/dev/null
	client_ends
}

# What is larger than all that lies between a worker and us.
filled() {
	sbx run -d --name "$c" "$box" sh -c 'dd if=/dev/zero of=/a bs=1M count=20 2>/dev/null; mkdir /z; echo >/z/b; sleep 100000' >/dev/null
	eventually sbx exec "$c" test -e /z/b
}

@test "the tar of a container that is removed meanwhile is an error, not shorter" {
	for what in "export $c" "cp $c:/ -"; do
		filled
		holds $what
		sbx rm -f "$c" >/dev/null
		rest
		equal "$status" 1
		grep -q "was removed meanwhile" "$BATS_TEST_TMPDIR"/pipe.*.err
		rm "$BATS_TEST_TMPDIR"/pipe.*
	done
}

@test "the next run of a container waits for who works in its files" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	mkfifo feed
	"$SBX" cp - "$c:/" <feed 3>&- &
	client=$!
	background+=("$client")
	exec {to}>feed
	mkdir -p first/etc
	echo first >first/etc/one
	tar -cf one.tar -C first etc/one
	head -c 1024 one.tar >&"$to"
	eventually eval '[ -n "$(sbx exec "$c" find /etc -name "*one*" -o -name ".sbx-*")" ]'
	"$SBX" restart -t 0 "$c" >/dev/null 3>&- {to}>&- &
	background+=($!)
	eventually ended "$c" # and stays so
	local before
	before=$(date -u +%FT%T.%N)
	tail -c +1025 one.tar >&"$to"
	exec {to}>&-
	client_ends
	equal "$status" 0
	eventually running "$c"
	[[ $(sbx inspect -f '{{.State.StartedAt}}' "$c") > $before ]]
	equal "$(sbx exec "$c" cat /etc/one)" first
}
