# The kernel has no overlayfs, or none for user namespaces.

load ../bats/lib

@test "run works, and says nothing" {
	run -0 --separate-stderr sbx run --rm "$box" echo hello
	equal "$output" hello
	equal "$stderr" ""
}

@test "its files can be changed, removed and seen again" {
	sbx run --name "$c" "$box" sh -c 'rm -r /var; mkdir /new; echo new >/new/f' >/dev/null
	sbx cp "$c:/new/f" - | tar -xO | grep -x new
	# the image is unchanged
	sbx run --rm "$box" test ! -e /new
}

@test "files can be taken from and put into a container that never ran" {
	sbx create --name "$c" "$box" cat /new >/dev/null
	sbx cp "$c:/bin/busybox" - | tar -tv | grep busybox
	echo new >new
	sbx cp new "$c:/new"
	equal "$(sbx start -a "$c")" new
}

@test "exec, and an end without leftovers" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx exec "$c" echo in)" in
	sbx rm -f "$c"
}

@test "doctor says which way it goes here" {
	run sbx doctor
	contains "$output" "copy"
}
