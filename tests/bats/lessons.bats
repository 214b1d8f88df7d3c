# What advisories of other container programs taught: a test for each lesson that no other file has. The rest: mount
# targets, masks and links in isolation and volumes, cp's in cp, archives' in archives, the image server's in image_server.
load lib

setup() {
	c=t$BATS_TEST_NUMBER
}

teardown() {
	end_background
	sbx ps -aq | xargs -r "$SBX" rm -f >/dev/null
}

@test "no descriptor of the caller's reaches the inside, neither by run nor by exec (CVE-2024-21626, CVE-2016-9962)" {
	exec 8<"$BATS_TEST_DIRNAME" 9<"$BATS_TEST_FILENAME"
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	# 3 is the listing's own
	equal "$(sbx run --rm "$box" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	equal "$(sbx exec "$c" ls /proc/self/fd | tr '\n' ' ')" "0 1 2 3 "
	equal "$(sbx exec "$c" ls /proc/1/fd | tr '\n' ' ')" "0 1 2 "
	for fd in 7 8 9 10 11; do
		run sbx run --rm -w "/proc/self/fd/$fd" "$box" ls
		lacks "$output" "$(basename "$BATS_TEST_FILENAME")"
		run sbx exec -w "/proc/self/fd/$fd" "$c" ls
		lacks "$output" "$(basename "$BATS_TEST_FILENAME")"
	done
	exec 8<&- 9<&-
}

@test "no variable of the caller's reaches the inside (CVE-2020-14370)" {
	export SECRET_OF_THE_HOST=1 LD_PRELOAD_OF_OURS=2
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	equal "$(sbx run --rm "$box" env | cut -d= -f1 | sort | tr '\n' ' ')" "HOME HOSTNAME PATH "
	lacks "$(sbx exec "$c" env)" OF_
	lacks "$(sbx exec "$c" cat /proc/1/environ | tr "\0" "\n")" OF_
}

@test "inheritable and ambient capabilities are none, for run and exec (CVE-2022-24769, CVE-2022-29162)" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	for caps in "$(sbx run --rm "$box" cat /proc/self/status)" "$(sbx exec "$c" cat /proc/self/status)" \
		"$(sbx exec -u 12 "$c" cat /proc/self/status)"; do
		contains "$caps" $'CapInh:\t0000000000000000'
		contains "$caps" $'CapAmb:\t0000000000000000'
	done
	contains "$caps" $'CapEff:\t0000000000000000'
}

@test "a number as -u is never a name of the image's passwd (CVE-2016-3697)" {
	printf 'root:x:0:0::/root:/bin/sh\n12:x:0:0::/root:/bin/sh\n' >"$BATS_TEST_TMPDIR/passwd"
	equal "$(sbx run --rm -u 12 -v "$BATS_TEST_TMPDIR/passwd:/etc/passwd" "$box" id -u)" 12
	run -125 sbx run --rm -u '0x0' "$box" id -u
	run -125 sbx run --rm -u '1 2' "$box" id -u
}
