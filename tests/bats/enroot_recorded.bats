load lib

# What NVIDIA's enroot was recorded to do (tests/enroot), call by call.

recorded() {
	"$BATS_TEST_DIRNAME/../enroot/compare" --enroot "$SBX" --image "$box" --scratch "$BATS_FILE_TMPDIR" "$@"
}

teardown_file() {
	nothing_left
}

@test "the recorded grammar" {
	recorded 10- 11-
}

@test "containers: what was recorded of create, list, remove and export" {
	recorded 20- 21- 60-
}

@test "start: the recorded statuses, roots, environments and command scripts" {
	recorded 30- 31- 32- 33-
}

@test "the recorded --conf scripts, mounts and hooks, and what is seen of the machine" {
	recorded 40- 41- 42- 43-
}

@test "exec, import and settings as recorded" {
	recorded 50- 70- 80-
}
