load lib

# --storage-opt size: how much a container may write to its root.

# used_outside NAME: prints how many bytes its writable layer takes on the machine's disk.
used_outside() {
	local id dir sum=0
	id=$(sbx inspect -f '{{.Id}}' "$1")
	for dir in "$SBX_ROOT/containers/$id/upper" "$SBX_RUNTIME/u/$id/upper"; do
		[ ! -d "$dir" ] || sum=$((sum + $(du -sk "$dir" | cut -f1)))
	done
	echo $((sum * 1024))
}

# holder_of NAME: prints the pid of the process that enforces its limit, a child of its supervisor.
holder_of() {
	local pid
	pid=$(sbx inspect -f '{{.State.Pid}}' "$1") # also the supervisor's child
	pgrep -x -P "$(ps -o ppid= -p "$pid" | tr -d ' ')" sbx-quota
}

# For a container's shell: how many KiB of / are in use.
df_used='used() { df -k / | awk "END { print \$3 }"; }'

setup() {
	[ -w /dev/fuse ] || lacking "a /dev/fuse"
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

@test "a write beyond it gets ENOSPC, and no more is on the disk" {
	run -1 sbx run --name "$c" --storage-opt size=8m "$box" dd if=/dev/zero of=/big bs=1M count=20
	contains "$output" "No space left on device"
	[ "$(used_outside "$c")" -le $((8 << 20)) ]
	[ "$(used_outside "$c")" -gt $((7 << 20)) ]
	equal "$(sbx inspect -f '{{.HostConfig.StorageOpt.size}}' "$c")" 8m
}

@test "the files that every container has of the host's disk take no more of it than they had" {
	run -0 sbx run --name "$c" --hostname "$c" --add-host other:10.1.2.3 --storage-opt size=8m "$box" sh -c '
		cat /etc/hostname; grep other /etc/hosts; ls -ld /etc/hosts
		for f in hosts hostname resolv.conf; do
			cp "/etc/$f" "/etc/$f-was" && echo "10.1.2.4 more" >>"/etc/$f" && tail -n 1 "/etc/$f"
			dd if=/dev/zero of="/etc/$f" bs=1M count=10 2>&1 | grep -o "No space left on device"
			cat "/etc/$f-was" >"/etc/$f"
		done'
	equal "${lines[0]}" "$c"
	[[ ${lines[1]} == 10.1.2.3*other ]]
	[[ ${lines[2]} =~ ^-rw-r--r--\ +1\ root\ +root ]]
	equal "${#lines[@]} $(grep -c "No space" <<<"$output") $(grep -c "10.1.2.4 more" <<<"$output")" "9 3 3"
	[ "$(cat "$SBX_ROOT"/containers/"$(sbx inspect -f '{{.Id}}' "$c")"/{hosts,hostname,resolv.conf} | wc -c)" -lt 10000 ]
}

@test "df inside shows it, and what is used" {
	run -0 sbx run --rm --storage-opt size=20m "$box" sh -c "$df_used"'
		df -k / | awk "END { print \$2 }"; used; dd if=/dev/zero of=/f bs=1M count=5 2>/dev/null; used; rm /f; used'
	equal "${lines[0]}" 20480
	equal $((lines[2] - lines[1])) 5120
	equal "${lines[3]}" "${lines[1]}"
}

@test "eight who write at once do not get beyond it together" {
	sbx run --name "$c" --storage-opt size=8m "$box" sh -c '
		for i in 1 2 3 4 5 6 7 8; do cat /dev/zero 2>/dev/null >/w$i & done; wait'
	[ "$(used_outside "$c")" -le $((8 << 20)) ]
	[ "$(used_outside "$c")" -gt $((7 << 20)) ]
}

@test "what is removed may be written again, at once" {
	sbx run --rm --storage-opt size=8m "$box" sh -c '
		for i in 1 2 3 4 5 6 7 8 9; do dd if=/dev/zero of=/f bs=1M count=6 2>/dev/null || exit 1; rm /f; done'
}

@test "a file without a name counts until it is closed" {
	run -0 sbx run --rm --storage-opt size=20m "$box" sh -c "$df_used"'
		used; exec 5>/f; dd if=/dev/zero bs=1M count=5 2>/dev/null >&5; rm /f; used; exec 5>&-; used'
	equal $((lines[1] - lines[0])) 5120
	equal "${lines[2]}" "${lines[0]}"
}

@test "holes are free, blocks that are set aside are not" {
	run -0 sbx run --rm --storage-opt size=8m "$box" sh -c "$df_used"'
		used; truncate -s 1G /sparse; used; fallocate -l 4M /f; used; fallocate -l 8M /g 2>/dev/null || echo refused
		dd if=/dev/zero of=/sparse bs=1M seek=500 count=20 2>/dev/null || echo full'
	equal "${lines[1]}" "${lines[0]}"
	equal $((lines[2] - lines[1])) 4096
	equal "${lines[3]}" refused
	equal "${lines[4]}" full
}

@test "in a full one what is there can be written over, and files of the image can be removed" {
	sbx run --rm --storage-opt size=4m "$box" sh -c '
		: >/root/x; rm /root/x; rm /bin/vi; dd if=/dev/zero of=/f bs=1M count=9 2>/dev/null
		dd if=/dev/urandom of=/f bs=4k count=500 conv=notrunc 2>/dev/null || exit 1
		rm /bin/ed || exit 2; rm /f && echo again >/g && cat /g'
}

@test "a file of the image that is changed counts whole, and is refused when it does not fit" {
	run -0 sbx run --rm --storage-opt size=4m "$py" sh -c "$df_used"'
		big=$(find /usr -xdev -type f -size +5000k | head -n 1); used; (echo >>$big) 2>/dev/null || echo refused
		: >$big && used; cat $big'
	equal "${lines[1]}" refused
	[ $((lines[2] - lines[0])) -lt 64 ]
	equal "${#lines[@]}" 3
}

@test "links, moves and removals are as without it" {
	# both streams are one: which of two is heard first is nobody's promise
	local work='exec 2>&1
		cd /root; mkdir -p a/b/c; echo one >a/b/f; ln a/b/f g; rm a/b/f; cat g; ln g h; mv g i; rm i; cat h; echo two >n; ln n o
		echo three >p; mv p n; cat n o; rm o; mv a /z; ls -R /z; rm -r /etc/* /z 2>/dev/null; ls /etc; rm -r /home; mkdir -p /home/x; ls -A /home
		ln -s /x l; readlink l; mkfifo q; stat -c "%F %a %h" q l h; chmod 4755 h; stat -c %a h; mv /bin/vi /bin/old; ls /bin/vi
		cp /bin/busybox echo; ./echo run; exec 6<h; rm h; cat <&6; mkdir d; cd d; rmdir ../d; ls; ls -A .. | sort'
	run -0 sbx run --rm "$box" sh -c "$work"
	local want=$output
	run -0 sbx run --rm --storage-opt size=20m "$box" sh -c "$work"
	equal "$output" "$want"
	contains "$output" "run"
}

# The kernel leaves it to a FUSE server to clear these bits for a writer without the right to keep them.
@test "set-id bits go when a file is changed, and a link's time is its own" {
	bits='cd /root; echo x >target; ln -s target l; touch -h -d @1000 l; [ "$(stat -c %Y target)" -gt 1000 ] && stat -c %Y l
		for how in "echo x >>" "truncate -s 1 " ": >" "dd if=/dev/zero bs=1 count=1 conv=notrunc status=none of="; do
			for mode in 4755 2755 6711 2745 755; do
				echo content >f; chmod "$mode" f; eval "$how"f; stat -c %a f; rm f
			done
		done'
	sbx run --rm --cap-drop FSETID "$box" sh -c "$bits" >want
	equal "$(tr '\n' ' ' <want)" "1000 755 755 711 2745 755 755 755 711 2745 755 755 755 711 2745 755 755 755 711 2745 755 "
	sbx run --rm --cap-drop FSETID --storage-opt size=8m "$box" sh -c "$bits" >got
	diff want got
}

@test "what is written through a mapping counts" {
	sbx run --name "$c" --storage-opt size=8m "$py" python3 -c '
import errno, mmap, os
f = open("/m", "w+b")
f.truncate(32 << 20)
m = mmap.mmap(f.fileno(), 0)
for i in range(0, 32 << 20, 4096): m[i] = 1
try:
    m.flush(); os.fsync(f.fileno()); print("all")
except OSError as e:
    assert e.errno in (errno.ENOSPC, errno.EIO), e'
	[ "$(used_outside "$c")" -le $((8 << 20)) ]
}

@test "what was written before counts after a restart; diff, export and commit see it" {
	sbx import "$box" "$c-from" >/dev/null
	run -0 sbx run --name "$c" --storage-opt size=8m "$c-from" sh -c 'if [ -e /f ]; then
		dd if=/dev/zero of=/g bs=1M count=5 2>/dev/null && echo all; else dd if=/dev/zero of=/f bs=1M count=5 2>/dev/null && echo all; fi'
	equal "$output" all
	contains "$(sbx diff "$c")" "A /f"
	run -1 sbx start -a "$c"
	[ "$(used_outside "$c")" -le $((8 << 20)) ]
	contains "$(sbx export "$c" | tar -t)" f
	sbx commit "$c" "$c-image" >/dev/null
	equal "$(sbx run --rm "$c-image" stat -c %s /f)" $((5 << 20))
	sbx rm "$c" >/dev/null
	sbx rmi "$c-image" "$c-from" >/dev/null
}

@test "cp into it counts, whether it runs or not" {
	local nap
	nap=$(a_nap)
	dd if=/dev/zero of=five bs=1M count=5 2>/dev/null
	sbx create --name "$c" --storage-opt size=8m "$box" sleep "$nap" >/dev/null
	sbx cp five "$c:/one"
	run ! sbx cp five "$c:/two"
	contains "$output" "o space left"
	sbx start "$c" >/dev/null
	run ! sbx cp five "$c:/three"
	contains "$output" "o space left"
	[ "$(used_outside "$c")" -le $((8 << 20)) ]
	sbx exec "$c" rm -f /one /two /three
	sbx cp five "$c:/four"
	equal "$(sbx exec "$c" stat -c %s /four)" $((5 << 20))
	sbx rm -f "$c" >/dev/null
}

@test "volumes and tmpfs are not counted" {
	sbx run --rm --storage-opt size=4m -v "$PWD:/v" --tmpfs /t:size=20m "$box" sh -c '
		dd if=/dev/zero of=/v/f bs=1M count=9 2>/dev/null && dd if=/dev/zero of=/t/f bs=1M count=9 2>/dev/null'
}

@test "whoever kills the process that holds it ends the container, which says why" {
	local nap pid
	nap=$(a_nap)
	sbx run -d --name "$c" --storage-opt size=8m "$box" sleep "$nap" >/dev/null
	pid=$(holder_of "$c")
	kill -9 "$pid"
	equal "$(sbx wait --result r.json "$c")" 137
	contains "$(cat r.json)" '"reason":"storage-lost"'
	contains "$(sbx inspect -f '{{.State.Error}}' "$c")" "--storage-opt size"
	eventually gone "$pid"
	sleeps "$nap" 0
	sbx start "$c" >/dev/null
	equal "$(sbx exec "$c" sh -c 'echo >/f && echo works')" works
	sbx rm -f "$c" >/dev/null
}

gone() {
	! grep -qs '^State:.[^ZX]' "/proc/$1/status"
}

@test "the process is confined, and has nothing open but what it needs" {
	local pid
	sbx run -d --name "$c" --storage-opt size=8m "$box" sleep 1000 >/dev/null
	pid=$(holder_of "$c")
	eventually grep -qx $'Seccomp:\t2' "/proc/$pid/status"
	grep -qx $'NoNewPrivs:\t1' "/proc/$pid/status"
	equal "$(find "/proc/$pid/fd" -mindepth 1 ! -lname /dev/fuse ! -lname '*/upper' ! -lname "$SBX_RUNTIME/stage/root*" -printf '%l ')" ""
	[ -e "/proc/$pid/root/bin/busybox" ]
	[ ! -e "/proc/$pid/root/$SBX_ROOT" ]
}

@test "the process goes with the container" {
	local pid
	sbx run -d --name "$c" --storage-opt size=8m "$box" sleep 1000 >/dev/null
	pid=$(holder_of "$c")
	sbx rm -f "$c" >/dev/null
	eventually gone "$pid"
}

@test "the result tells what holds it" {
	sbx run --rm --storage-opt size=8m --result r.json "$box" true
	contains "$(cat r.json)" '"storage":"fuse"'
	sbx run --rm --storage-opt size=0 --result r.json "$box" true
	lacks "$(cat r.json)" storage
}

@test "where it cannot be held it is refused" {
	for off in SBX_FUSE SBX_OVERLAY; do
		run -125 env "$off=off" "$SBX" run --name "$c" --storage-opt size=8m "$box" true
		contains "$output" "--storage-opt size is supported only"
		missing "$c"
	done
}

@test "other options and what is no size are refused in docker's words" {
	run -125 sbx run --rm --storage-opt foo=1 "$box" true
	contains "$output" "Unknown option foo"
	run -125 sbx run --rm --storage-opt size=abc "$box" true
	contains "$output" "invalid size: 'abc'"
	run -125 sbx run --rm --storage-opt size "$box" true
	contains "$output" "invalid storage option"
}

@test "who has the server's descriptors used up writes nothing uncounted" {
	sbx run --rm "$box" true # so that the image server is not started with the low limit
	run -0 sh -c 'ulimit -Sn 128; ulimit -Hn 128; exec "$@"' - "$SBX" run --name "$c" \
		--storage-opt size=4m "$py" python3 -c '
import os, time
def name(i): return "/f%d" % i
for i in range(250): os.close(os.open(name(i), os.O_RDWR | os.O_CREAT))
r, w = os.pipe()
children = []
for files in range(250), range(249, -1, -1): # one process may not have so many open
    children.append(os.fork())
    if children[-1] == 0:
        held = []
        try:
            for i in files: held.append(os.open(name(i), os.O_RDWR))
        except OSError: pass
        os.write(w, b"x")
        time.sleep(600)
    os.read(r, 1)
try: os.open("/new", os.O_RDWR | os.O_CREAT); print("opened")
except OSError: print("none")
try:
    for i in range(5000): os.mkdir("/d%d" % i)
    print("all")
except OSError as e: print(e.strerror)
for i in range(5000):
    try: os.rmdir("/d%d" % i)
    except OSError: break
for child in children: os.kill(child, 9); os.waitpid(child, 0)
while True: # a file that was refused must not exist
    try: os.open("/new", os.O_RDWR | os.O_CREAT | os.O_EXCL); break
    except FileExistsError: print("there"); break
    except OSError: pass'
	equal "${lines[0]}" none
	# on tmpfs a directory takes no blocks, so it is not counted
	[ "$(stat -fc %T "$SBX_ROOT")" = tmpfs ] || equal "${lines[1]}" "No space left on device"
	equal "${#lines[@]}" 2
	[ "$(used_outside "$c")" -le $((4 << 20)) ]
}

@test "a file of the image counts, too, if what it was copied for fails" {
	run -0 sbx run --name "$c" --storage-opt size=4m "$py" python3 -c '
import os
for at, _, files in os.walk("/usr/lib"):
    for f in files:
        try: os.setxattr(at + "/" + f, "user.large", bytes(60000)) # ext4 has no room for it
        except OSError: pass'
	[ "$(used_outside "$c")" -le $((4 << 20)) ]
}

@test "a file that was looked up by a name that is gone is the same under another one" {
	sbx create --name "$c" --storage-opt size=20m "$py" python3 -c '
import os
def used(): s = os.statvfs("/"); return (s.f_blocks - s.f_bfree) * s.f_bsize >> 20
if not os.path.exists("/once"):
    open("/a", "wb").write(bytes(5 << 20)); os.link("/a", "/b"); open("/once", "w")
else:
    a = os.open("/a", os.O_RDWR); os.unlink("/a")
    b = os.open("/b", os.O_RDONLY); os.pread(b, 3, 0)
    os.pwrite(a, b"new", 0); print(os.pread(b, 3, 0).decode())
    os.close(b); os.unlink("/b"); print(used())' >/dev/null
	sbx start -a "$c"
	run -0 sbx start -a "$c"
	equal "${lines[0]}" new
	equal "${lines[1]}" 5
}

@test "files of different layers are different ones, whatever numbers these gave them" {
	local layer numbers
	run -0 sbx import "$box" "$c:0"
	for layer in 1 2; do # in each layer the same tree, so the same numbers
		run -0 sbx run --name "$c-$layer" "$c:$((layer - 1))" \
			sh -c "mkdir /l$layer && echo text $layer >/l$layer/a && ln /l$layer/a /l$layer/b && echo other $layer >/l$layer/c"
		run -0 sbx commit "$c-$layer" "$c:$layer"
	done
	run -0 sbx run --name "$c" --storage-opt size=8m "$c:2" sh -c '
		stat -c %i /l1/a /l1/b /l2/a /l2/b /l1/c /l2/c | tr "\n" " "; echo
		cp /l1/c /l2/c && mkdir /x && cp -a /l1 /l2 /x && cat /x/l1/[abc] /x/l2/[abc]'
	contains "$(tail -n +2 <<<"$output" | tr '\n' ,)" "text 1,text 1,other 1,text 2,text 2,other 1,"
	read -ra numbers <<<"${lines[0]}"
	equal "${numbers[0]} ${numbers[2]}" "${numbers[1]} ${numbers[3]}"
	equal "$(printf '%s\n' "${numbers[@]:0:6}" | sort -u | wc -l)" 4
	sbx cp "$c:/" - >tar
	equal "$(tar xOf tar /l1/a /l2/a 2>/dev/null || tar xOf tar l1/a l2/a)" $'text 1\ntext 2'
}
