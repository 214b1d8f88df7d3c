load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# table OPTION...: all rows at once, each with its right answer, in their order
table() {
	python3 "$BATS_TEST_DIRNAME/eval_hostile.py" ask >requests
	sbx eval --jsonl --timeout 60s -j 3 "$@" "$py" <requests >answers
	python3 "$BATS_TEST_DIRNAME/eval_hostile.py" check answers
}

@test "what means harm has its right answer, from a warm python" {
	table
}

@test "what means harm has its right answer, in a container each" {
	needs_static # pid 1 of these containers is the program itself
	table --fresh
}
