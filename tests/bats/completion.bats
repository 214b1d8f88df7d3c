load lib

completion=$BATS_TEST_DIRNAME/../../cmd/completion/sbx.bash

# offers WORD...: what completing the last word offers
offers() {
	# shellcheck source=/dev/null
	bash -c '
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_sbx "$1"
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$SBX" "$@" | sort -u
}

@test "commands are offered" {
	run -0 offers ''
	for command in run create start exec stop kill restart rm ps logs wait inspect images import rmi tag version info; do
		grep -qx "$command" <<<"$output" || { echo "no $command in: $output"; return 1; }
	done
	equal "$(offers ru)" run
	contains "$(offers container '')" inspect
}

@test "all options of a command are offered" {
	sbx __options run >rows
	offers run - >offered
	while IFS=$'\t' read -r row; do
		name=$(cut -f 3 <<<"$row")
		[[ $(cut -f 5 <<<"$row") == *hidden* ]] || grep -qx -- "--$name" offered || { echo "no --$name"; return 1; }
	done <rows
	equal "$(offers run --cap-)" $'--cap-add\n--cap-drop'
}

@test "containers and images are offered where they are wanted" {
	sbx import "$box" "$c:tag" >/dev/null
	sbx create --name "$c-made" "$c:tag" true >/dev/null
	equal "$(offers start "$c-")" "$c-made"
	equal "$(offers rm -f "$c-")" "$c-made"
	equal "$(offers stop "$c-")" ""
	equal "$(offers rmi "$c")" "$c:tag"
	equal "$(offers run --rm -e A=1 --name x "$c")" "$c:tag"
}

@test "eval is offered images, then files" {
	sbx import "$box" "$c:tag" >/dev/null
	: >code.py
	equal "$(offers eval --timeout 5 "$c:")" "$c:tag"
	equal "$(offers eval "$c:tag" co)" code.py
}

@test "values are offered" {
	equal "$(offers run --network '')" $'host\nnone'
	equal "$(offers run --rm --pull n)" never
}

@test "after the image of run, nothing of ours is offered" {
	equal "$(offers run image -)" ""
}
