# A kernel from before 5.12, which has no mount_setattr(): containers run, but not with directories of the machine.

load ../bats/lib

@test "run -v DIR:DIR:ro: 125, a sentence that names the kernel which is wanted, nothing half-made" {
	run -125 --separate-stderr sbx run --rm --name "$c" -v "$BATS_TEST_TMPDIR:/mnt:ro" "$box" true
	contains "$stderr" "Linux 5.12 and later can"
	[ "$(grep -c . <<<"$stderr")" -le 3 ]
	missing "$c"
	equal "$(sbx ps -aq)" ""
}

@test "start of one likewise, and it stays" {
	sbx create --name "$c" -v "$BATS_TEST_TMPDIR:/mnt:ro" "$box" true
	run -1 --separate-stderr sbx start "$c"
	contains "$stderr" "Linux 5.12 and later can"
	sbx rm "$c"
}

@test "doctor says BAD, and what is wanted" {
	run -1 sbx doctor
	contains "$output" "BAD   kernel"
	contains "$output" "5.12"
}

@test "--read-only and --init are refused likewise, a volume that can be written is there" {
	run -125 sbx run --rm --read-only "$box" true
	contains "$output" "Linux 5.12 and later can"
	run -125 sbx run --rm --init "$box" true
	contains "$output" "Linux 5.12 and later can"
	sbx run --rm -v "$BATS_TEST_TMPDIR:/mnt" "$box" touch /mnt/new
	[ -e "$BATS_TEST_TMPDIR/new" ]
}
