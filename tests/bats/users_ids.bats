load lib

setup_file() {
	own_store
	[ "$(id -u)" -ne 0 ] || echo "# run as root: what an ordinary user may not do is not seen" >&3
}

# modes COMMAND...: runs it with one id, and, if the user has a range, with many
modes() {
	local mode
	for mode in one range; do
		[ $mode = one ] || has_range || continue
		SBX_IDS=$mode "$@" || { echo "with SBX_IDS=$mode"; return 1; }
	done
}

@test "inside it is root, outside it is the caller" {
	seen() {
		local name=$c-$SBX_IDS nap
		nap=$(a_nap)
		sbx run -d --name "$name" "$box" sh -c "id -u; exec sleep $nap" >/dev/null
		eventually sleeps "$nap"
		equal "$(sbx logs "$name")" 0 &&
			equal "$(stat -c %u "/proc/$(sbx inspect -f '{{.State.Pid}}' "$name")")" "$(id -u)"
	}
	modes seen
}

@test "-u UID, UID:GID, name, name:group show those ids inside" {
	seen() {
		equal "$(sbx run --rm -u 1234 "$box" sh -c 'id -u; id -g')" $'1234\n0' &&
			equal "$(sbx run --rm -u 1234:56 "$box" sh -c 'id -u; id -g')" $'1234\n56' &&
			equal "$(sbx run --rm -u user "$box" sh -c 'id -un; id -gn; echo $HOME')" $'user\nuser\n/home' &&
			equal "$(sbx run --rm -u user:staff "$box" sh -c 'id -u; id -g')" $'1000\n50'
	}
	modes seen
}

@test "exec -u, too" {
	seen() {
		sbx run -d --name "$c-$SBX_IDS" "$box" sleep 100000 >/dev/null
		equal "$(sbx exec -u 77:88 "$c-$SBX_IDS" sh -c 'id -u; id -g')" $'77\n88' &&
			equal "$(sbx exec "$c-$SBX_IDS" id -u)" 0
	}
	modes seen
}

@test "a user who is not in the image's passwd" {
	run -125 --separate-stderr sbx run --rm -u nobody-here "$box" true
	contains "$stderr" "unable to find user nobody-here: no matching entries in passwd file"
}

@test "users are the image's, whatever is mounted over its files, and wherever a link of its leads" {
	mkdir etc
	sed 's/^user:x:1000:/user:x:77:/' <(sbx run --rm "$box" cat /etc/passwd) >etc/passwd
	grep -q '^user:x:77:' etc/passwd
	equal "$(sbx run --rm -u user -v "$PWD/etc/passwd:/etc/passwd" "$box" id -u)" 1000
	sbx run --name "$c" "$box" sh -c 'mv /etc/passwd /users && ln -s /users /etc/passwd'
	sbx commit "$c" "$c" >/dev/null
	equal "$(sbx run --rm -u user "$c" id -u)" 1000
	equal "$(sbx run --rm -u user -v "$PWD/etc:/etc" "$c" id -u)" 1000
	sbx rm "$c" >/dev/null
	sbx rmi "$c" >/dev/null
}

@test "a file made by -u on a mount belongs to somebody who is us" {
	mkdir dir
	chmod 777 dir
	SBX_IDS=one sbx run --rm -u 1000 -v "$PWD/dir:/d" "$box" touch /d/file
	equal "$(stat -c %u dir/file)" "$(id -u)"
}

@test "with one id: chown, su and the like succeed without effect outside" {
	mkdir dir
	SBX_IDS=one run -0 sbx run --rm -v "$PWD/dir:/d" "$box" sh -c '
		touch /d/f /own && chown 1000:1000 /d/f /own && chgrp 50 /own && chmod 4755 /own'
	equal "$(stat -c %u dir/f)" "$(id -u)"
}

@test "with one id: tar unpacks foreign owners" {
	SBX_IDS=one run -0 sbx run --rm "$box" sh -c '
		mkdir /t && cd /t && echo x >f && chown 1000:1000 f && tar -c f >/a.tar && rm f &&
		tar -xpf /a.tar && cat f'
	equal "$output" x
}

@test "with one id: python's os.chown, setgroups, setuid" {
	SBX_IDS=one run -0 sbx run --rm "$py" python3 -c '
import os
open("/f", "w").close()
os.chown("/f", 1000, 1000)
os.lchown("/f", 5, 5)
os.setgroups([1, 2, 3])
os.setgid(1000)
os.setuid(1000)
print("fine")'
	equal "$output" fine
}

# with_apt SCRIPT: makes an image of busybox after the script has run in it
with_apt() {
	sbx run --name "$c-made" "$box" sh -c "$1"
	image=$(sbx commit "$c-made")
}

is_told() {
	equal "$(SBX_IDS=one sbx run --rm "$@" cat /etc/apt/apt.conf.d/90sbx-one-id)" 'APT::Sandbox::User "root";'
}

@test "with one id apt is told, by nothing that the container holds" {
	with_apt 'mkdir -p /etc/apt/apt.conf.d'
	is_told "$image"
	is_told "$(sbx export "$c-made" | sbx import -)"
	is_told --read-only "$image"
	SBX_IDS=one sbx run --name "$c" "$image" true
	equal "$(find "$SBX_ROOT/containers/$(sbx inspect -f '{{.Id}}' "$c")/upper" -mindepth 1)" ""
	equal "$(sbx diff "$c")" ""
	sbx export "$c" | tar -t >names
	grep -qx etc/apt/apt.conf.d/ names
	! grep one-id names || return 1
	run ! env SBX_IDS=one "$SBX" run --rm "$box" ls /etc/apt
}

@test "with one id apt is told where a layer made its directory anew, and where there is no overlay" {
	with_apt 'mkdir -p /etc/apt/apt.conf.d'
	sbx run --name "$c" "$image" sh -c 'rm -r /etc/apt && mkdir -p /etc/apt/apt.conf.d'
	is_told "$(sbx commit "$c")"
	SBX_OVERLAY=off is_told "$image"
}

@test "with one id what a container does to the word for apt is its own, and no image's" {
	local word=/etc/apt/apt.conf.d/90sbx-one-id
	with_apt 'mkdir -p /etc/apt/apt.conf.d'
	SBX_IDS=one sbx run --name "$c-gone" "$image" rm $word
	SBX_IDS=one sbx run --name "$c-new" "$image" sh -c "echo >>$word; exec touch /etc/apt/apt.conf.d/own"
	equal "$(sbx diff "$c-gone")" ""
	equal "$(sbx diff "$c-new")" $'C /etc\nC /etc/apt\nC /etc/apt/apt.conf.d\nA /etc/apt/apt.conf.d/own'
	equal "$(SBX_IDS=one sbx run --rm "$(sbx commit "$c-new")" ls /etc/apt/apt.conf.d)" $'90sbx-one-id\nown'
	is_told "$(sbx commit "$c-new")"
	is_told "$(sbx commit "$c-gone")"
}

@test "ranges that are not granted are an error when they are asked for" {
	! has_range || skip "this user has ranges"
	run -125 --separate-stderr env SBX_IDS=range "$SBX" run --rm "$box" true
	contains "$stderr" "subuid"
}

@test "--group-add" {
	modes eval 'contains " $(sbx run --rm --group-add 50 "$box" id -G) " " 50 "' || {
		# with one id there is only one group
		! has_range
	}
}

@test "HOME is the user's own" {
	equal "$(sbx run --rm "$box" sh -c 'echo $HOME')" /root
	equal "$(sbx run --rm -u user "$box" sh -c 'echo $HOME')" /home
	equal "$(sbx run --rm -u 4321 "$box" sh -c 'echo $HOME')" /
	equal "$(sbx run --rm -e HOME=/else "$box" sh -c 'echo $HOME')" /else
}

@test "--ids one maps one id and is kept; other words are refused" {
	equal "$(sbx run --rm --ids one "$box" awk '{ print $3 }' /proc/self/uid_map)" 1
	sbx create --ids one --name "$c" "$box" true
	equal "$(sbx inspect -f '{{.Sbx.Ids}}' "$c")" one
	run -125 sbx run --rm --ids many "$box" true
	contains "$output" "--ids many: must be auto, one or range"
}

@test "the root of a user namespace leaves the place of the machine's root alone" {
	local before=absent place
	place=/tmp/sbx-0-$(id -u)
	[ ! -e /tmp/sbx-0 ] || before=$(stat -c %i /tmp/sbx-0)
	env -u SBX_RUNTIME -u XDG_RUNTIME_DIR unshare -Ur "$SBX" ps
	[ -d "$place" ]
	rm -r "$place"
	if [ -e /tmp/sbx-0 ]; then equal "$(stat -c %i /tmp/sbx-0)" "$before"; else equal absent "$before"; fi
}

# Where one id is mapped it is in a user namespace below the one that owns its others.
@test "the namespaces of a container whose program is another user are joined, and its user is not" {
	sbx run -d --name "$c" --ipc shareable -u 5:6 "$box" sleep 100000 >/dev/null
	for more in --network --pid --ipc; do
		contains "$(sbx run --rm $more "container:$c" "$box" id)" "uid=0(root) gid=0(root)"
		equal "$(sbx run --rm $more "container:$c" -u 7:8 "$box" sh -c 'id -u; id -g')" $'7\n8'
		sbx run -d --name "$c-2" $more "container:$c" -u 9 "$box" sleep 100000 >/dev/null
		equal "$(sbx exec "$c-2" id -u)" 9
		equal "$(sbx exec -u 0 "$c-2" id -u)" 0
		equal "$(sbx run --rm --network "container:$c-2" "$box" id -u)" 0
		sbx rm -f "$c-2"
	done
	sbx run -d --name "$c-2" --network "container:$c" --health-cmd true --health-interval 100ms "$box" sleep 100000
	eventually sh -c '[ "$("$1" inspect -f "{{.State.Health.Status}}" "$2")" = healthy ]' sh "$SBX" "$c-2"
	sbx rm -f "$c-2"
}
