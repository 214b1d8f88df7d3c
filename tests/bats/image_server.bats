load lib

setup() {
	[ -w /dev/fuse ] || lacking "/dev/fuse is not there for us"
	c=t$BATS_TEST_NUMBER
	# each test has a server of its own, as it will be killed
	export SBX_ROOT=$BATS_TEST_TMPDIR/d SBX_RUNTIME=$BATS_TEST_TMPDIR/r
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
	sbx ps -aq | xargs -r "$SBX" rm -f >/dev/null
	nothing_left
}

@test "the first container starts it, the second one shares it" {
	equal "$(server_pid)" ""
	sbx run -d --name "$c-1" "$box" sleep 100000 >/dev/null
	first=$(server_pid)
	[ -n "$first" ]
	sbx run -d --name "$c-2" "$py" sleep 100000 >/dev/null
	equal "$(server_pid)" "$first"
}

@test "twenty at once start one" {
	pids=()
	for i in {1..20}; do
		sbx run --rm "$box" true 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	equal "$(server_pid | wc -l)" 1
}

@test "a file that nobody used before brings it while what the file says is read" {
	echo "no image" >bad.sqsh
	run -125 sbx run --rm ./bad.sqsh true
	first=$(server_pid)
	[ -n "$first" ]
	sbx run --rm "$box" true
	equal "$(server_pid)" "$first"
}

@test "a low limit of processes of the first one is not everybody's" {
	full=$(ulimit -Hu)
	low=$([ "$full" = unlimited ] && echo 1000000 || echo $((full - 1)))
	(ulimit -Su "$low" && sbx run --rm "$box" true)
	limits() {
		for pid in $(server_pid); do
			awk '/^Max processes/ { print $3, $4 }' "/proc/$pid/limits"
		done | sort
	}
	equal "$(limits)" "$full $full"
	# with a lower limit that cannot be raised there is a server of its own
	(ulimit -u "$low" && sbx run --rm "$box" true)
	equal "$(limits)" "$(printf '%s\n' "$full $full" "$low $low" | sort)"
	sbx run --rm "$box" true
	equal "$(server_pid | wc -l)" 2
}

@test "it leaves when nobody has needed it for a while" {
	SBX_LAYERS_IDLE=1 sbx run --rm "$box" true
	pid=$(server_pid)
	eventually gone "$pid"
	equal "$(find "$SBX_RUNTIME" -name 'layers-*')" ""
}

@test "a user namespace of one's own has a server of its own" {
	sbx run --rm "$box" true
	pid=$(server_pid)
	for i in 1 2; do
		equal "$(unshare -Ur "$SBX" run --rm "$box" echo works)" works
	done
	kill -0 "$pid"
	equal "$(server_pid | wc -l)" 3
}

@test "what killed servers of other namespaces left goes when another one starts, and a living one's stays" {
	sbx run --rm "$box" true
	first=$(server_pid)
	mine=$(find "$SBX_RUNTIME" -name 'layers-*' | sort)
	unshare -Ur "$SBX" run --rm "$box" true
	for pid in $(server_pid); do
		[ "$pid" = "$first" ] || kill -9 "$pid"
		[ "$pid" = "$first" ] || eventually gone "$pid"
	done
	equal "$(find "$SBX_RUNTIME" -name 'layers-*' | wc -l)" 4
	equal "$(unshare -Ur sh -c '"$@"; find "$SBX_RUNTIME" -name "layers-*"' - "$SBX" run --rm "$box" true | wc -l)" 4
	equal "$(find "$SBX_RUNTIME" -name 'layers-*' | sort | comm -12 - <(echo "$mine"))" "$mine"
	end_server KILL
}

@test "one that leaves takes nobody else's socket along" {
	SBX_LAYERS_IDLE=1 sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	pid=$(server_pid)
	sock=$(find "$SBX_RUNTIME" -name 'layers-*.sock')
	rm "$sock"
	sbx run -d --name "$c-2" "$box" sleep 100000 >/dev/null
	sbx rm -f "$c" >/dev/null
	eventually gone "$pid"
	[ -S "$sock" ]
	other=$(server_pid)
	sbx run --rm "$box" true
	equal "$(server_pid)" "$other"
}

@test "it stays while a container needs it" {
	SBX_LAYERS_IDLE=1 sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	pid=$(server_pid)
	read -rt 2.5 nothing <>"$BATS_FILE_TMPDIR/never" || true
	kill -0 "$pid"
	sbx exec "$c" cat /usr/bin/busybox >/dev/null
}

@test "it stays while somebody copies from a container that has ended" {
	export SBX_LAYERS_IDLE=1
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	pid=$(server_pid)
	behind export "$c"
	head -c 512 <&"$from" >/dev/null
	sbx stop -t 0 "$c" >/dev/null
	# one that is needed for a shorter time leaves
	unshare -Ur "$SBX" run --rm "$box" true
	for other in $(server_pid); do
		[ "$other" = "$pid" ] || eventually gone "$other"
	done
	kill -0 "$pid"
	cat <&"$from" >tree.tar
	client_ends
	equal "$status" 0
	tar -tf tree.tar >/dev/null
}

@test "kill -9 of it harms no container: reads go on" {
	sbx run -d --name "$c" "$py" sh -c 'while [ ! -e /go ]; do usleep 20000; done; find / -xdev -type f | head -n 3000 | xargs cat | wc -c' >/dev/null
	pid=$(server_pid)
	kill -9 "$pid"
	eventually gone "$pid"
	sbx exec "$c" touch /go
	equal "$(sbx wait "$c")" 0
	[ "$(sbx logs "$c")" -gt 1000000 ]
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 0
}

@test "kill -9 of it again and again, in the middle of reads: every byte is right" {
	sums='import hashlib, os, sys
h = hashlib.sha256()
for d, ds, fs in os.walk("/usr/lib"):
	ds.sort()
	for f in sorted(fs):
		p = os.path.join(d, f)
		if os.path.isfile(p) and not os.path.islink(p): h.update(open(p, "rb").read())
print(h.hexdigest())'
	behind run --name "$c" "$py" sh -c "echo up; exec python3 -c '$sums'"
	line
	for i in 1 2 3 4 5; do
		end_server KILL
		eventually eval '[ -n "$(server_pid)" ] || gone "$client"'
	done
	line
	# only now, since once one container has read a file, others get it from the page cache
	equal "$REPLY" "$(sbx run --rm "$py" python3 -c "$sums")"
	client_ends
	equal "$status" 0
}

@test "after its death new containers start, and old ones with them" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	kill -9 "$(server_pid)"
	sbx run --rm "$box" true
	equal "$(sbx exec "$c" echo x)" x
	running "$c"
}

@test "it holds nothing of the caller's: no descriptor, no terminal, no directory" {
	sbx run --rm "$box" true 9</etc/passwd
	pid=$(server_pid)
	equal "$(awk '{ print $7 }' "/proc/$pid/stat")" 0
	[ "$(awk '{ print $6 }' "/proc/$pid/stat")" != "$(awk '{ print $6 }' /proc/self/stat)" ]
}

@test "nobody who stays holds what the caller had open" {
	mkfifo out err other
	cat out >got.out 3>&- & background+=($!)
	cat err >got.err 3>&- & background+=($!)
	cat other >got.other 3>&- & background+=($!)
	"$SBX" run -d --name "$c" "$box" sleep 100000 >out 2>err 9>other
	for i in 0 1 2; do
		eventually gone "${background[i]}" # it has read all of it
	done
	running "$c"
	[ -n "$(server_pid)" ]
}

@test "a file that is written over is another image" {
	export SBX_LAYERS_IDLE=1000 # the server stays, and remembers the file
	for i in one two; do
		mkdir -p "$i/bin"
		cp "$(command -v busybox)" "$i/bin/busybox"
		echo "$i" >"$i/f"
		mksquashfs "$i" "$i.sqsh" -quiet -no-progress -all-root >/dev/null
	done
	size=$(stat -c %s two.sqsh)
	truncate -s "$((size > $(stat -c %s one.sqsh) ? size : $(stat -c %s one.sqsh)))" one.sqsh two.sqsh
	cp one.sqsh image.sqsh
	equal "$(sbx run --rm ./image.sqsh /bin/busybox cat /f)" one
	pid=$(server_pid)
	cat two.sqsh >image.sqsh # the same inode, with the same size
	equal "$(sbx run --rm ./image.sqsh /bin/busybox cat /f)" two
	equal "$(server_pid)" "$pid"
}

@test "many readers at once get the right bytes" {
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	wanted=$(sbx exec "$c" sh -c 'find /usr/lib -type f | sort | xargs cat | md5sum')
	sbx rm -f "$c" >/dev/null
	end_server
	sbx run -d --name "$c-2" "$py" sleep 100000 >/dev/null
	for i in {1..8}; do
		sbx exec "$c-2" sh -c 'find /usr/lib -type f | sort | xargs cat | md5sum' >"sum$i" 3>&- &
		background+=($!)
	done
	for pid in "${background[@]}"; do
		wait "$pid"
	done
	equal "$(cat sum* | sort -u)" "$wanted"
}

@test "kill -9 of it while containers are put together: each of them starts" {
	sbx run --rm "$box" true
	(while [ ! -e "$BATS_TEST_TMPDIR/enough" ]; do end_server KILL; done) 3>&- &
	background+=("$!")
	for _ in {1..30}; do
		equal "$(timeout 150 "$SBX" run --rm "$box" echo here)" here
	done
	touch enough
}

@test "the files of a container that does not run can be read for longer than it would be idle, and through its death" {
	sbx create --name "$c" "$py" true >/dev/null
	end_server
	eventually eval '[ -z "$(server_pid)" ]'
	mkfifo slow
	SBX_LAYERS_IDLE=1 "$SBX" cp "$c:/usr" - >slow 3>&- &
	client=$!
	background+=("$client")
	exec {from}<slow
	head -c 1000 <&"$from" >begin # it runs, and blocks when the pipe is full
	read -rt 2.5 nothing <>"$BATS_FILE_TMPDIR/never" || true
	[ -n "$(server_pid)" ]
	end_server KILL
	cat begin - <&"$from" | md5sum >got
	client_ends
	equal "$status" 0
	sbx cp "$c:/usr" - | md5sum >wanted
	equal "$(cat got)" "$(cat wanted)"
}

# The server parses untrusted bytes. All that it has of the machine is a file system with only /dev/fuse, and the layers: it can
# reach no file, make no connection and start no program.
@test "the server is confined: system calls, privileges, mounts" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	pid=$(server_pid)
	grep -qx $'Seccomp:\t2' "/proc/$pid/status"
	grep -qx $'NoNewPrivs:\t1' "/proc/$pid/status"
	equal "$(awk '{ print $(NF-2), $4 }' "/proc/$pid/mountinfo" | sed 's/ .*//' | sort -u | tr '\n' ' ')" "devtmpfs fuse tmpfs "
	equal "$(awk '$(NF-2) == "devtmpfs" { print $4, $5 }' "/proc/$pid/mountinfo")" "/fuse /fuse"
	equal "$(awk '$5 == "/" { print $(NF-2), $(NF-1) }' "/proc/$pid/mountinfo")" "tmpfs $SBX_RUNTIME"
}

@test "what the server makes is nobody else's, whatever the caller's umask" {
	(umask 000; sbx run -d --name "$c" "$box" sleep 100000 >/dev/null)
	equal "$(awk '/^Umask:/ { print $2 }' "/proc/$(server_pid)/status")" 0077
}

@test "who talks nonsense to it is hung up on, and nobody else notices" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	pid=$(server_pid)
	run -0 python3 - "$SBX_RUNTIME"/layers-*.sock <<-'END'
		import array, os, socket, struct, sys
		null = os.open("/dev/null", os.O_RDWR)
		lease, seed, revive, foresee = 0, 1, 2, 3
		def said(kind, n, text=b"", fds=0, cut=None):
		    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
		    s.settimeout(60)
		    s.connect(sys.argv[1])
		    s.sendmsg([(struct.pack("II", kind, n) + text)[:cut]],
		        [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null] * fds))] if fds else [])
		    try:
		        return s.recv(4096)
		    except ConnectionResetError:
		        return b""
		for nonsense in dict(kind=lease, n=0, cut=7), dict(kind=lease, n=1), dict(kind=lease, n=1, fds=2), \
		        dict(kind=lease, n=0, text=b"x"), dict(kind=lease, n=1, fds=1, text=b"x"), dict(kind=lease, n=61), \
		        dict(kind=lease, n=61, fds=61), dict(kind=seed, n=1), dict(kind=seed, n=0, fds=1), dict(kind=seed, n=0, text=b"x"), \
		        dict(kind=revive, n=1), dict(kind=revive, n=1, fds=1), dict(kind=revive, n=1, fds=2), dict(kind=revive, n=1 << 31), \
		        dict(kind=foresee, n=4, text=b"abc"), dict(kind=foresee, n=0, text=b"abc"), \
		        dict(kind=foresee, n=3, text=b"abc", fds=1), dict(kind=foresee, n=4000, text=b"x" * 4000), \
		        dict(kind=4, n=0), dict(kind=0xffffffff, n=0xffffffff):
		    if said(**nonsense): print("answered", nonsense)
		# requests that are well-formed but have wrong descriptors are answered with what is wrong
		for wrong, words in (dict(kind=lease, n=1, fds=1), b"image"), (dict(kind=revive, n=1, fds=3), b"not a journal"):
		    if words not in said(**wrong): print("no words for", wrong, said(**wrong))
	END
	equal "$output" ""
	equal "$(server_pid)" "$pid"
	equal "$(sbx exec "$c" echo here)" here
}

@test "reading a file of the image has no time of access to note, and a file of the container's has" {
	run -0 sbx run --rm --network none "$box" sh -c '
		[ "$(stat -c %X /bin/busybox)" -gt "$(stat -c %Y /bin/busybox)" ] || echo older
		echo x >/f; touch -a -d "2001-01-01 00:00:00" /f; cat /f
		[ "$(stat -c %X /f)" -gt 1000000000 ] || echo not noted'
	[ "$output" = x ]
}

@test "it sleeps when it has no descriptor left for who knocks, and goes on when it has" {
	(ulimit -n 64 && sbx run -d --name "$c" "$box" sleep 100000 >/dev/null)
	pid=$(server_pid)
	mkfifo held never
	python3 - "$SBX_RUNTIME"/layers-*.sock >held 3>&- <<-'END' &
		import os, socket, sys
		held = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(80)]
		for s in held: s.connect(sys.argv[1])
		print("they knock", flush=True)
		os.read(os.open("never", os.O_RDONLY), 1)
	END
	background+=($!)
	read -r _ <held
	eventually grep -q '^State:.S' "/proc/$pid/status"
	kill "${background[0]}"
	again() {
		sbx run --rm "$box" true 2>/dev/null
	}
	eventually again
}

@test "when its descriptors are used up, that is what it says, and who runs goes on" {
	(ulimit -n 64 && sbx run -d --name "$c" "$box" sleep 100000 >/dev/null)
	pid=$(server_pid)
	one_more() {
		sbx run -d --label "many=$c" "$box" sleep 100000 2>refused >/dev/null
	}
	while one_more; do :; done
	contains "$(<refused)" "image server: its descriptors are used up, one a running container (ulimit -n 64 where it was started)"
	equal "$(server_pid)" "$pid"
	equal "$(sbx exec "$c" cat /proc/1/comm)" sleep
	sbx ps -aq --filter "label=many=$c" | xargs "$SBX" rm -f >/dev/null
	equal "$(sbx run --rm "$box" echo goes on)" "goes on"
	equal "$(server_pid)" "$pid"
}

# by_hand PYTHON: makes squashfs images by code that has image(), inode(), entry(), entries(), meta(), plain().
by_hand() {
	python3 - "$1" <<-'END'
		import struct, sys, zlib
		def meta(b):
		    z = zlib.compress(b, 9)
		    return struct.pack("<H", len(z)) + z
		def plain(b): return struct.pack("<H", 0x8000 | len(b)) + b
		def inode(kind, n, form, *rest): return struct.pack("<HHHHII" + form, kind, 0o755, 0, 0, 0, n, *rest)
		def entry(name, at, kind): return struct.pack("<HhHH", at, 0, kind, len(name) - 1) + name
		def entries(*of): return struct.pack("<III", len(of) - 1, 0, 1) + b"".join(of)
		def image(path, inodes, dirs):
		    ids = plain(bytes(4))
		    at = [96, 96 + len(inodes), 96 + len(inodes) + len(dirs)]
		    end = at[2] + len(ids)
		    top = struct.pack("<IIIIIHHHHHHQQQQQQQQ", 0x73717368, 3, 0, 1 << 17, 0, 1, 17, 0x210, 1, 4, 0, 0,
		        end + 8, end, 2**64 - 1, at[0], at[1], 2**64 - 1, 2**64 - 1)
		    open(path, "wb").write(top + inodes + dirs + ids + struct.pack("<Q", at[2]))
		def one_file(path, blocks): # of 2048 * blocks blocks, all holes
		    names = entries(entry(b"f", 32, 2))
		    first = inode(1, 1, "IIHHI", 0, 2, len(names) + 3, 0, 9) + \
		        inode(9, 2, "QQQIIII", 96, 2048 * blocks << 17, 0, 1, 0xffffffff, 0, 0xffffffff)
		    image(path, meta(first.ljust(8192, b"\0")) + meta(bytes(8192)) * blocks, plain(names))
		exec(sys.argv[1])
	END
}

# A process that waits for FUSE's answer cannot be killed, so answers must come.
@test "a file and a directory of an image that are too long to walk are refused, and hold nobody up" {
	by_hand '
one_file("file.sqsh", 2000000)
names = entries(entry(b"d", 32, 1))
run = entries(*[entry(b"a", 72, 2)] * 256) * 2048
listing = b"".join(meta(run[i:i + 8192]) for i in range(0, len(run), 8192))
often = (2**32 - 1) // len(run)
image("dir.sqsh", plain(inode(1, 1, "IIHHI", 0, 2, len(names) + 3, 0, 9) +
    inode(8, 2, "IIIIHHI", 2, often * len(run) + 3, len(names) + 2, 9, 0, 0, 0xffffffff) +
    inode(2, 3, "IIII", 96, 0xffffffff, 0, 0)), plain(names) + listing * often)'
	sbx run -d --name "$c" --mount "type=image,src=$PWD/file.sqsh,dst=/m" --mount "type=image,src=$PWD/dir.sqsh,dst=/n" \
		"$box" sleep 100000
	run -0 timeout 60 "$SBX" exec "$c" tail -c 1 /m/f # busybox's tail reports an error, but exits with 0
	contains "$output" "File too large"
	run -1 timeout 60 "$SBX" exec "$c" cat /n/d/zz
	contains "$output" "File too large"
	run -0 timeout 60 "$SBX" rm -f "$c"
}

# The image has so many names before the one that is looked for that reading it takes a while.
@test "who reads an image's config is confined, and cannot be looked at" {
	by_hand '
run = entries(*[entry(b"!", 32, 2)] * 256) * 2048
listing = b"".join(meta(run[i:i + 8192]) for i in range(0, len(run), 8192))
often = (250 << 20) // len(run)
image("config.sqsh", plain(inode(8, 1, "IIIIHHI", 2, often * len(run) + 3, 0, 2, 0, 0, 0xffffffff)), listing * often)'
	"$SBX" run --rm --name "$c" ./config.sqsh true 3>&- &
	background+=($!)
	reads() {
		pid=$(pgrep -P "${background[0]}" | head -1)
		grep -qx $'Seccomp:\t2' "/proc/$pid/status"
	}
	eventually reads
	grep -qx $'NoNewPrivs:\t1' "/proc/$pid/status"
	equal "$(stat -c %u "/proc/$pid/environ")" 0 # root's, since it is not dumpable
	kill -9 "$pid"
}

# A file of a layer is being written. (Not by a glob: bash once crashed when directories vanished meanwhile.)
unpacking() {
	find "$SBX_ROOT/layers" -path '*.part/f' 2>/dev/null | grep -q .
}

@test "who waits for an image to be unpacked can end it" {
	by_hand 'one_file("file.sqsh", 100000)'
	for signal in INT TERM; do
		SBX_FUSE=off "$SBX" run --rm --name "$c" ./file.sqsh true 3>&- &
		background+=($!)
		eventually unpacking
		kill -s "$signal" $!
		eventually gone $!
	done
	equal "$(sbx ps -aq)" ""
}

@test "who unpacks an image is confined, and has nothing open but that" {
	by_hand 'one_file("file.sqsh", 100000)'
	SBX_FUSE=off "$SBX" run --rm --name "$c" ./file.sqsh true 3>&- &
	background+=($!)
	eventually unpacking
	pid=$(pgrep -P "$!" | head -1)
	eventually eval 'ls -l "/proc/$pid/fd" | grep -q "layers/.*part/f$"'
	equal "$(awk '$1 == "Seccomp:" || $1 == "NoNewPrivs:" { print $2 }' "/proc/$pid/status")" $'1\n2'
	equal "$(find "/proc/$pid/fd" -lname 'socket:*' -o -lname '*/containers/*')" ""
	kill "$!"
	eventually gone "$pid"
}

@test "an image of more names than there is memory is refused before they fill it" {
	unsanitized "memory has a limit"
	by_hand '
run = entries(*[entry(b"a", 72, 2)] * 256) * 2048
listing = b"".join(meta(run[i:i + 8192]) for i in range(0, len(run), 8192))
often = (250 << 20) // len(run)
names = entries(entry(b"d", 32, 1))
image("many.sqsh", plain(inode(1, 1, "IIHHI", 0, 2, len(names) + 3, 0, 9) +
    inode(8, 2, "IIIIHHI", 2, often * len(run) + 3, len(names) + 2, 9, 0, 0, 0xffffffff) +
    inode(2, 3, "IIII", 96, 0xffffffff, 0, 0)), plain(names) + listing * often)'
	[ "$(stat -c %s many.sqsh)" -lt 4000000 ]
	SBX_FUSE=off run -125 --separate-stderr prlimit --as=400000000 "$SBX" run --rm ./many.sqsh true
	contains "$stderr" "File exists"
}
