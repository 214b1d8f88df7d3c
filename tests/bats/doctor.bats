load lib

@test "doctor tells how each thing is done here, and leaves nothing" {
	run -0 sbx doctor
	for what in kernel "user namespaces" ids images overlay store limits seccomp program network; do
		contains "$output" " $what "
	done
	[ -z "$(find "$SBX_ROOT" -name '.doctor*')" ]
}

@test "doctor: no user namespaces is bad, and 1, with the way to have them" {
	sbx doctor >/dev/null
	run -1 unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$1" doctor' - "$SBX"
	contains "$output" "BAD   user namespaces"
	contains "$output" "user.max_user_namespaces"
}
