#!/usr/bin/env bats
# Two users of one machine, who must neither see nor disturb each other's containers. The machine is a container with many ids,
# in which both run sbx, so that nobody else uses its /tmp.

load lib

setup_file() {
	own_store
	has_range && is_static || return 0
	export SBX_IDS=range
	"$SBX" run -d --name machine --privileged --network none -v "$SBX:/bin/sbx:ro" -v "$box:/box.sqsh:ro" "$box" sh -c '
		mkdir -m 755 /ann /bob; chown 1001:1001 /ann; chown 1002:1002 /bob; exec sleep 100000' >/dev/null
	eventually "$SBX" exec machine test -O /proc/1 -a -d /bob
}

teardown_file() {
	sbx rm -f machine >/dev/null 2>&1 || true
	nothing_left
}

# Each test has a /tmp of its own.
setup() {
	has_range || lacking "no range in /etc/subuid for this user"
	needs_static
	cd "$BATS_TEST_TMPDIR" || return
	sbx exec machine sh -c 'rm -rf /tmp/* /ann/.[a-z]* /bob/.[a-z]*; chmod 1777 /tmp'
}

teardown() {
	ann 'sbx ps -aq | xargs -r sbx rm -f' >/dev/null 2>&1 || true
	end_background
}

ann() {
	sbx exec -u 1001:1001 -e HOME=/ann machine sh -c "$1"
}

bob() {
	sbx exec -u 1002:1002 -e HOME=/bob machine sh -c "$1"
}

@test "what one has the other does not see, and may not use" {
	ann 'sbx run -d --name web --label of=ann -v kept:/v /box.sqsh sleep 100000' >/dev/null
	id=$(ann 'sbx ps -q --no-trunc')
	equal "$(bob 'sbx ps -aq; sbx volume ls -q; sbx images -q')" ""
	for word in web "$id" "${id:0:12}"; do
		run -1 --separate-stderr bob "sbx exec $word true"
		contains "$stderr" "No such container: $word"
		run -1 --separate-stderr bob "sbx rm -f $word; sbx kill $word"
		contains "$stderr" "No such container: $word"
	done
	equal "$(bob 'sbx run -d --name web /box.sqsh sleep 100000 >/dev/null && sbx rm -f web')" web
	equal "$(ann 'sbx exec web echo lives')" lives
	for place in 'SBX_ROOT=/ann/.local/share/sbx' 'SBX_RUNTIME=/tmp/sbx-1001' 'HOME=/ann'; do
		run -1 --separate-stderr bob "$place sbx ps -a"
		contains "$stderr" "Permission denied"
	done
	# nor is there an abstract socket
	equal "$(sbx exec machine awk '$NF ~ /^@/' /proc/net/unix)" ""
	equal "$(bob 'find / -xdev -user 1001 ! -path "/proc/*" \( -perm -4 -o -perm -2 -o -perm -1 \) 2>/dev/null')" /ann
}

@test "a runtime directory that another made beforehand is not used" {
	for bad in 'mkdir -m 700 /tmp/sbx-1001' 'mkdir -m 777 /tmp/sbx-1001' 'mkdir -m 777 /tmp/x && ln -s x /tmp/sbx-1001' \
		'ln -s /ann /tmp/sbx-1001' '>/tmp/sbx-1001' 'mkfifo -m 666 /tmp/sbx-1001' 'ln -s /tmp/nowhere /tmp/sbx-1001'; do
		bob "$bad"
		run -125 --separate-stderr ann 'sbx run --rm /box.sqsh true'
		contains "$stderr" "/tmp/sbx-1001"
		contains "$stderr" "SBX_RUNTIME can name another"
		equal "$(ann 'ls -A /ann; ls -A /tmp/x 2>/dev/null; ls -A /tmp/sbx-1001/. 2>/dev/null' | sort -u)" .local
		equal "$(ann 'mkdir -p -m 700 /ann/.r; SBX_RUNTIME=/ann/.r sbx run --rm /box.sqsh echo works')" works
		sbx exec machine rm -rf /tmp/sbx-1001 /tmp/x /ann/.r
	done
	equal "$(ann 'sbx run --rm /box.sqsh echo works')" works
}

@test "... but the directory of the login session, if it can be" {
	for session in /nonexistent/run /proc /bob; do
		bob 'mkdir /tmp/sbx-1001'
		run -125 --separate-stderr ann "XDG_RUNTIME_DIR=$session sbx run --rm /box.sqsh true"
		contains "$stderr" "/tmp/sbx-1001"
		equal "$(ann 'mkdir -p -m 700 /ann/.s; XDG_RUNTIME_DIR=/ann/.s sbx run --rm /box.sqsh echo works; ls /ann/.s')" \
			$'works\nsbx'
		sbx exec machine rm -rf /tmp/sbx-1001 /ann/.s
	done
}

@test "a store that another made, or that others may enter, is not used" {
	bob 'mkdir -m 777 /tmp/store'
	run -125 --separate-stderr ann 'SBX_ROOT=/tmp/store sbx run --rm /box.sqsh true'
	contains "$stderr" "directory /tmp/store belongs to uid 1002, not to you (uid 1001)"
	equal "$(ann 'ls -A /tmp/store')" ""
	for mode in 701 710 702 740; do
		run -125 --separate-stderr ann "mkdir -p /tmp/own; chmod $mode /tmp/own; SBX_ROOT=/tmp/own sbx run --rm /box.sqsh true"
		contains "$stderr" "directory /tmp/own is open to others (mode $mode)"
	done
	equal "$(ann 'ls -A /tmp/own')" ""
	bob 'mkdir -m 777 /tmp/sbx-layers-1001'
	run -125 --separate-stderr ann 'SBX_SCRATCH=/tmp sbx run --rm /box.sqsh true'
	contains "$stderr" "/tmp/sbx-layers-1001 is not yours alone"
}

@test "the environment of another, as su leaves it, is refused or passed over" {
	bob 'sbx run --rm /box.sqsh true; mkdir -p -m 755 /bob/.run/sbx'
	run -125 --separate-stderr ann 'HOME=/bob sbx run --rm /box.sqsh true'
	contains "$stderr" "/bob/.local"
	equal "$(ann 'XDG_RUNTIME_DIR=/bob/.run sbx run --rm /box.sqsh echo works; ls -A /bob/.run/sbx; stat -c %u:%a /tmp/sbx-1001')" \
		$'works\n1001:700'
}

@test "the socket of serve is its user's alone, and what another put in its place is left" {
	ann 'sbx serve -H unix:///tmp/api.sock sh -c "stat -c %a:%u /tmp/api.sock"' >out 2>/dev/null
	equal "$(cat out)" 600:1001
	bob '>/tmp/api.sock'
	run ! ann 'sbx serve -H unix:///tmp/api.sock true'
	equal "$(bob 'stat -c %F:%u /tmp/api.sock')" "regular empty file:1002"
}

@test "where user ids can be mapped and groups cannot, it says which program refused" {
	# the first program maps what anybody may, the second one nothing
	sbx exec machine sh -c '
		echo "ann:200000:65536" | tee /etc/subuid >/etc/subgid
		grep -q ^ann: /etc/passwd || echo "ann:x:1001:1001::/ann:/bin/sh" >>/etc/passwd
		mkdir -p /usr/local/bin
		printf "%s\n" "#!/bin/sh" "echo 0 1001 1 >/proc/\$1/uid_map" >/usr/local/bin/newuidmap
		printf "%s\n" "#!/bin/sh" "exit 1" >/usr/local/bin/newgidmap
		chmod 755 /usr/local/bin /usr/local/bin/new*'
	local own='SBX_ROOT=/tmp/root SBX_RUNTIME=/tmp/run sbx run --rm'
	run -125 --separate-stderr ann "mkdir -m 700 /tmp/run; $own /box.sqsh true"
	sbx exec machine sh -c 'rm /usr/local/bin/new* /etc/sub?id; sed -i /^ann:/d /etc/passwd'
	contains "$stderr" "newgidmap refused the ranges of /etc/subgid"
	contains "$stderr" "--ids one"
}
