load lib

# For a user with a range in /etc/subuid and /etc/subgid: containers have many ids.

setup() {
	has_range || lacking "no range in /etc/subuid for this user"
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
	export SBX_IDS=range
}

@test "it is what one gets without asking" {
	[ "$(SBX_IDS=auto sbx run --rm "$box" sh -c 'wc -l </proc/self/uid_map; tail -n 1 /proc/self/uid_map' | awk 'END { print $1 + $3 }')" -ge 65536 ]
	equal "$(SBX_IDS=one sbx run --rm "$box" awk '{ print $3 }' /proc/self/uid_map)" 1
}

@test "a plan is one for the ids that a run would have" {
	for ids in auto one range; do
		equal "$(SBX_IDS=auto sbx plan --ids $ids "$box" true | grep -o 'ping_group_range=[0-9 ]*')" \
			"ping_group_range=$(SBX_IDS=auto sbx run --rm --ids $ids "$box" cat /proc/sys/net/ipv4/ping_group_range | tr '\t' ' ')"
	done
}

@test "where no program may gain powers, that is said to be why there is no range" {
	export SBX_RUNTIME=$BATS_TEST_TMPDIR/r # with an image server of its own
	run -125 --separate-stderr setpriv --no-new-privs "$SBX" run --rm "$box" true
	contains "$stderr" "newuidmap has no power here: no_new_privs is set"
	equal "$(SBX_IDS=auto setpriv --no-new-privs "$SBX" run --rm "$box" awk '{ print $3 }' /proc/self/uid_map)" 1
}

@test "inside it is root, outside it is the caller" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "id -u; exec sleep $nap" >/dev/null
	eventually sleeps "$nap"
	equal "$(sbx logs "$c")" 0
	equal "$(stat -c %u "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")")" "$(id -u)"
}

@test "-u is another id outside, too, and what it runs can be ended" {
	nap=$(a_nap)
	sbx run -d --name "$c" -u 1234:56 "$box" sh -c "id -u; id -g; exec sleep $nap" >/dev/null
	eventually sleeps "$nap"
	equal "$(sbx logs "$c")" $'1234\n56'
	[ "$(stat -c %u "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")")" != "$(id -u)" ]
	equal "$(sbx exec -u 77 "$c" id -u)" 77
	sbx rm -f "$c"
	sleeps "$nap" 0
}

@test "-u of the caller's own number is himself: what he has outside is his, and what he makes there" {
	[ "$(id -u)" -ne 0 ] || lacking "the caller is root"
	me=$(id -u):$(id -g)
	mkdir mine
	equal "$(SBX_IDS=auto sbx run --rm -u "$me" -v "$PWD/mine:/m" "$box" sh -c 'touch /m/made; echo "$(id -u):$(id -g)"; stat -c %u:%g /m/made')" "$me"$'\n'"$me"
	equal "$(stat -c %u:%g mine/made)" "$me"
	run -1 sbx run --rm -u "$me" -v "$PWD/mine:/m" "$box" touch /m/more # SBX_IDS=range
}

@test "one that began with many ids goes on with them" {
	sbx run -d --name "$c" -u "$(id -u)" "$box" sleep 100000 >/dev/null
	map=$(sbx exec "$c" cat /proc/self/uid_map)
	sbx stop -t 0 "$c"
	SBX_IDS=auto sbx start "$c"
	equal "$(sbx exec "$c" cat /proc/self/uid_map)" "$map"
}

@test "-u of a number that nobody granted has one id; --ids range says why it cannot" {
	for who in 2000000000 2000000000:5 7:2000000000; do
		equal "$(SBX_IDS=auto sbx run --rm -u "$who" "$box" sh -c 'echo $(id -u):$(id -g)')" "$who$([[ $who == *:* ]] || echo :0)"
		run -125 --separate-stderr sbx run --rm --ids range -u "$who" "$box" true
		contains "$stderr" "is none of the container's ids: /etc/subuid and /etc/subgid grant fewer"
	done
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run sbx exec -u 2000000000 "$c" true
	contains "$output" "user 2000000000, group 0 or another of its groups is none of the container's ids"
}

@test "groups by --group-add are real" {
	contains " $(sbx run --rm --group-add 50 --group-add 60 "$box" id -G) " " 50 60 "
}

@test "the group of -u is among the groups of the process (CVE-2022-36109, CVE-2022-2989)" {
	groups='import os; print(os.getgid(), os.getgroups())'
	sbx run -d --name "$c" "$py" sleep 100000 >/dev/null
	equal "$(sbx run --rm -u 12:34 "$py" python3 -c "$groups")" "34 [34]"
	equal "$(sbx exec -u 12:34 "$c" python3 -c "$groups")" "34 [34]"
	equal "$(sbx run --rm -u 12:34 --group-add 55 "$py" python3 -c "$groups")" "34 [34, 55]"
}

@test "su and setpriv become another user, who has no way back" {
	equal "$(sbx run --rm "$box" su user -c 'id -u; echo x 2>/dev/null >/etc/passwd || echo refused')" $'1000\nrefused'
}

@test "a killed client of another user's exec takes it along" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	nap=$(a_nap)
	behind exec -u 1000 "$c" sh -c "setsid sleep $nap & echo up; exec sleep $nap"
	line
	eventually sleeps "$nap" 2
	kill -9 "$client"
	eventually sleeps "$nap" 0
}

@test "a file's owner is real, and the other user cannot write it" {
	run -0 sbx run --rm --name "$c" "$box" sh -c '
		touch /f && chown 1000:1000 /f && chmod 600 /f && stat -c "%u %g" /f
		su user -c "echo x >/f && cat /f"
		touch /mine && chmod 600 /mine
		su user -c "echo x >/mine" 2>/dev/null || echo refused'
	equal "$output" $'1000 1000\nx\nrefused'
}

@test "what was made by other ids is removed with the container" {
	id=$(sbx create --name "$c" "$box" sh -c '
		mkdir -p /d/e && touch /d/e/f && chown -R 1000:1000 /d && chmod 700 /d')
	sbx start -a "$c"
	sbx rm "$c"
	[ ! -e "$SBX_ROOT/containers/$id" ]
}

# As after a crash of the machine.
@test "what a killed supervisor of --rm left of other ids goes with container prune" {
	id=$(sbx run -d --rm --name "$c" "$box" sh -c '
		mkdir -p /d/e && touch /d/e/f && chown -R 1000:1000 /d && chmod 700 /d && echo made; exec sleep 100000')
	is_made() { [ "$(sbx logs "$c")" = made ]; }
	eventually is_made
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status")"
	is_gone() { [ -z "$(sbx ps -aq --no-trunc --filter "id=$id")" ]; }
	eventually is_gone
	sbx container prune -f >/dev/null
	equal "$(ls -A "$SBX_ROOT/containers" | grep -F "$id" || true)" ""
}

@test "a volume gets the image's files with their owners, and is removed with what was made by other ids" {
	sbx run --name "$c-i" "$box" sh -c 'mkdir -p /data/d && cd /data && echo x >f && echo x >d/g && ln -s f l && mkfifo p &&
		chmod 4755 f && chown -h 5:6 f l p d/g && chown 7:8 d . && chmod 4755 f && chmod 700 d'
	sbx commit -c 'VOLUME /data' "$c-i" "$c:i" >/dev/null
	owners() {
		sbx run --rm -v "v-$c:/data" "$@" "$c:i" sh -c 'cd /data && stat -c "%n %u:%g %a" . f l p d d/g'
	}
	owners >got
	equal "$(cat got)" $'. 7:8 755\nf 5:6 4755\nl 5:6 777\np 5:6 644\nd 7:8 700\nd/g 5:6 644'
	sbx volume rm "v-$c" >/dev/null
	[ ! -e "$SBX_ROOT/volumes/v-$c" ]
	# without overlayfs it is copied twice
	SBX_OVERLAY=off owners | diff got -
	sbx volume rm "v-$c" >/dev/null
	[ -z "$(find "$SBX_ROOT/volumes" -mindepth 1 -name "*v-$c*" -o -name '.old-*')" ]
	sbx rm "$c-i" && sbx rmi "$c:i"
	[ -z "$(find "$SBX_ROOT/layers" -mindepth 1)" ] # its unpacked layers are removed, too
}

@test "serve talks to its owner and to nobody else, whatever the socket's mode" {
	local ask='import socket
s = socket.socket(socket.AF_UNIX)
s.connect("/s/sock")
try:
    s.sendall(b"GET /_ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    print(b"200 OK" in s.recv(1000))
except OSError:
    print(False)'
	"$SBX" serve -H "unix://$PWD/sock" 2>/dev/null 3>&- &
	background+=($!)
	eventually test -S sock
	equal "$(sbx run --rm -v "$PWD:/s" "$py" python3 -c "$ask")" True
	equal "$(sbx run --rm -v "$PWD:/s" -u 1000 "$py" python3 -c "$ask" 2>&1 | tail -n 1)" \
		"PermissionError: [Errno 13] Permission denied"
	chmod 666 sock
	chmod 755 .
	equal "$(sbx run --rm -v "$PWD:/s" -u 1000 "$py" python3 -c "$ask")" False
}

@test "the image server answers its owner and nobody else, whatever the socket's mode" {
	local ask='import socket, struct
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect("/s/sock")
try:
    s.send(struct.pack("II", 2, 0)) # a request to go on without descriptors, which is answered
    print(len(s.recv(4096)) > 0)
except OSError:
    print(False)'
	export SBX_ROOT=$PWD/d SBX_RUNTIME=$PWD/r # a server of its own
	sbx run -d --name "$c" -v "$PWD:/s" "$py" sleep 100000 >/dev/null
	ln "$SBX_RUNTIME"/layers-*.sock sock
	chmod 755 .
	chmod 666 sock
	equal "$(sbx exec "$c" python3 -c "$ask")" True
	equal "$(sbx exec -u 1000 "$c" python3 -c "$ask")" False
	sbx rm -f "$c" >/dev/null
	end_server
}

@test "a file's mode holds for other users, whatever shows it" {
	sbx run --name "$c" "$box" sh -c 'echo secret >/secret && chmod 600 /secret && mkdir -m 700 /closed && echo x >/closed/f' >/dev/null
	sbx commit "$c" "$c:i" >/dev/null
	sbx export "$c" | sbx import - "$c:one" >/dev/null # with one layer
	refused() {
		equal "$(sbx run --rm -u 1000 "${@:2}" sh -c "cat $1/secret $1/closed/f; echo x >>$1/secret" 2>&1 | grep -c denied)" 3
	}
	refused "" "$c:i"
	refused "" --read-only "$c:one"
	refused "" --storage-opt size=8m "$c:one"
	SBX_OVERLAY=off refused "" "$c:one"
	for image in "$c:i" "$c:one"; do
		equal "$(sbx run --rm --mount "type=image,src=$image,dst=/i" "$box" cat /i/secret)" secret
		equal "$(sbx run --rm -u 1000 --mount "type=image,src=$image,dst=/i" "$box" sh -c 'cat /i/secret /i/closed/f' 2>&1 | grep -c denied)" 2
	done
	# files that the container has written
	sbx run -d --name "$c-2" --storage-opt size=8m "$box" sh -c 'echo secret >/secret && chmod 600 /secret && mkdir -m 700 /closed &&
		echo x >/closed/f && exec sleep 100000' >/dev/null
	eventually sbx exec "$c-2" test -s /closed/f
	equal "$(sbx exec -u 1000 "$c-2" sh -c 'cat /secret /closed/f; echo x >>/secret' 2>&1 | grep -c denied)" 3
	sbx rm -f "$c" "$c-2" >/dev/null
	sbx rmi "$c:i" "$c:one" >/dev/null
}

@test "a request of eval's pool, whose root is another id, can open its output anew" {
	needs_static
	echo '{"code": "open(\"/dev/stdout\", \"w\").write(open(\"/proc/self/uid_map\").read().split()[1])"}' >request
	sbx eval --jsonl -j 1 "$py" <request >answer
	contains "$(cat answer)" '"success":true'
	lacks "$(cat answer)" '"stdout":"0"'
}

@test "a request of eval's pool is in none of the groups of its template, as the machine sees it" {
	needs_static
	name=g$$
	echo "{\"code\": \"open('/proc/self/comm', 'w').write('$name'); import time; time.sleep(1000)\", \"timeout\": 1000}" >request
	input=request behind eval --jsonl -j 1 "$py"
	eventually pgrep -x "$name" >/dev/null
	equal "$(awk '/^Groups:/ { print NF - 1 }' "/proc/$(pgrep -x "$name")/status")" 0
	kill "$client"
	client_ends
}

@test "with --storage-opt size owners stay, and what each of them writes counts" {
	run -0 sbx run --name "$c" --storage-opt size=8m "$box" sh -c '
		mkdir -m 1777 /t; chown 7:8 /root; cp /bin/busybox /t/suid; chown 9:9 /t/suid; chmod 6755 /t/suid; stat -c "%u:%g" /root; stat -c "%u:%g %a" /t/suid
		ln -s /nowhere /t/l; chown -h 5:6 /t/l; stat -c %u:%g /t/l'
	equal "${lines[0]}" "7:8"
	equal "${lines[1]}" "9:9 6755"
	equal "${lines[2]}" "5:6"
	run -0 sbx run --rm -u 1234:56 --storage-opt size=8m "$box" sh -c '
		cd /tmp; umask 027; : >f; mkdir d; ln -s /nowhere l; stat -c "%u:%g %a" f d; stat -c %u:%g l; dd if=/dev/zero of=g bs=1M count=20 2>/dev/null || echo full'
	equal "$output" $'1234:56 640\n1234:56 750\n1234:56\nfull'
}

@test "a store of another one's is refused, though he could read it" {
	unshare --help | grep -q map-auto || lacking "no package gives it: unshare --map-auto"
	mkdir -m 700 other
	run -125 --separate-stderr unshare -U --map-root-user --map-auto bash -c '
		chown 5 other || exit 77
		SBX_ROOT=$PWD/other "$0" run --rm none true
		status=$?
		chown 0 other
		exit $status' "$SBX"
	contains "$stderr" "$PWD/other belongs to uid 5, not to you (uid 0)"
}

@test "hosts is written anew whoever owns it, and whatever its mode" {
	sbx create --name "$c" "$box" sh -c 'stat -c "%a %u" /etc/hosts; grep -c localhost /etc/hosts
		: >/etc/hosts; chown 77 /etc/hosts; chmod 0 /etc/hosts' >/dev/null
	equal "$(sbx start -a "$c")" $'644 0\n2'
	run -0 sbx start -a "$c"
	equal "$output" $'0 77\n2'
	sbx rm "$c"
}

# The kernel's own limit counts for each id separately.
@test "--pids-limit holds for all ids together" {
	run -137 sbx run --rm --pids-limit 30 --timeout 100s --result result "$py" python3 -c '
import os, time
made = 0
while made < 80:
	try:
		if os.fork() == 0:
			os.setuid(1 + made // 10)
			time.sleep(100000)
		made += 1
	except BlockingIOError:
		pass # so many children have not become another user yet that root has its own 30
time.sleep(100000)'
	contains "$(cat result)" '"reason":"pids"'
}

# The kernel tells of a process's groups before it tells of its memory.
killed_with_groups() {
	run sbx run --rm -m 64m --timeout 60s "$py" python3 -c "import mmap, os, time
os.setgroups(range(1000))
$1
print('held', flush=True)"
	lacks "$output" held
	equal "$status" 137
}

@test "shared memory of one with a thousand groups counts" {
	killed_with_groups '
b = mmap.mmap(-1, 300 << 20)
for i in range(0, len(b), 4096): b[i] = 1'
}

# Each page takes two pages of tables: alone, the pages are 40 MB.
@test "so do its page tables" {
	killed_with_groups '
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for i in range(10000):
	at = (1 << 44) + (i << 30)
	assert libc.mmap(at, 4096, 1, 0x100022, -1, 0) == at
	ctypes.string_at(at, 1)
time.sleep(100000)'
}

@test "a first process with thousands of groups hides no command of exec's" {
	sbx run -d --name "$c" "$py" python3 -c 'import os, time
os.setgroups(range(4000))
print("ready", flush=True)
time.sleep(100000)' >/dev/null
	eventually eval '[ "$(sbx logs "$c")" = ready ]'
	sbx exec -d "$c" sleep 100000
	equal "$(sbx top "$c" -o pid | wc -l)" 3 # with the title
}
