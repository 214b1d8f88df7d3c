load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# table OPTION...: sends all rows of eval_hostile.py at once, and checks each answer
table() {
	python3 "$BATS_TEST_DIRNAME/eval_hostile.py" ask >requests
	sbx eval --jsonl --timeout 60s -j 3 "$@" "$py" <requests >answers
	python3 "$BATS_TEST_DIRNAME/eval_hostile.py" check answers
}

@test "hostile code has the right answer, from a warm python" {
	table
}

@test "hostile code has the right answer, in a container each" {
	needs_static # sbx itself is pid 1 of these containers
	table --fresh
}
