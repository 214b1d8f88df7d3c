# What bats before 1.5 lacks (Ubuntu 22.04 has 1.2.1): `run -N`, `run !`, --separate-stderr, and directories for each
# file and test.

BATS_FILE_TMPDIR=$BATS_RUN_TMPDIR/f$(cksum <<<"$BATS_TEST_FILENAME" | cut -d' ' -f1)
BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR/t$$
export BATS_FILE_TMPDIR BATS_TEST_TMPDIR
mkdir -p "$BATS_TEST_TMPDIR"

run() {
	local wanted='' fails='' apart='' flags=$- errors=$BATS_TEST_TMPDIR/.stderr IFS=$'\n'
	while :; do
		case ${1:-} in
		-[0-9]*) wanted=${1#-} ;;
		!) fails=1 ;;
		--separate-stderr) apart=1 ;;
		*) break ;;
		esac
		shift
	done
	set +eET
	if [ -n "$apart" ]; then
		output=$("$@" 2>"$errors")
		status=$?
		stderr=$(cat "$errors")
		rm -f "$errors"
	else
		output=$("$@" 2>&1)
		status=$?
	fi
	# shellcheck disable=SC2206 # words are lines, empty ones are none, as bats has it
	lines=($output)
	# shellcheck disable=SC2206
	stderr_lines=(${stderr:-})
	set "-$flags"
	if [ -n "$wanted" ] && [ "$status" != "$wanted" ]; then
		printf 'ended with %s, not with %s:\n%s\n' "$status" "$wanted" "$output"
		return 1
	fi
	if [ -n "$fails" ] && [ "$status" = 0 ]; then
		printf 'should have failed:\n%s\n' "$output"
		return 1
	fi
}
