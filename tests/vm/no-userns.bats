# User namespaces are forbidden: user.max_user_namespaces=0, Debian's kernel.unprivileged_userns_clone=0, or AppArmor's
# kernel.apparmor_restrict_unprivileged_userns=1.

load ../bats/lib

# named TEXT: it is short, and names the sysctl that forbids user namespaces
named() {
	[ "$(grep -c . <<<"$1")" -le 3 ] || { echo "too long: $1"; return 1; }
	if [ "$(cat /proc/sys/user/max_user_namespaces)" = 0 ]; then
		contains "$1" user.max_user_namespaces
	elif [ "$(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns)" = 1 ]; then
		contains "$1" "sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	else
		contains "$1" kernel.unprivileged_userns_clone
	fi
}

@test "run: 125, a sentence that names the sysctl, nothing half-made" {
	run -125 --separate-stderr sbx run --rm --name "$c" "$box" true
	named "$stderr"
	missing "$c"
	equal "$(sbx ps -aq)" ""
}

@test "run -d and start likewise" {
	run -125 --separate-stderr sbx run -d --name "$c" "$box" true
	named "$stderr"
	sbx rm -f "$c" 2>/dev/null || true
	sbx create --name "$c" "$box" true
	run -1 --separate-stderr sbx start "$c"
	named "$stderr"
	sbx rm "$c"
}

@test "doctor says BAD, and how it is mended" {
	run -1 sbx doctor
	contains "$output" "BAD   user namespaces"
}

@test "what needs no container works" {
	sbx import "$box" "$c"
	contains "$(sbx images)" "$c"
	sbx rmi "$c"
	sbx version
}
