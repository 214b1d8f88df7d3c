load lib

# One row is the whole truth about an option: these walk over all rows. (That each is in its man page,
# with its letter and its value: pages.bats.)

completion=$BATS_TEST_DIRNAME/../../cmd/completion

# rows COMMAND: names of its options, those which are shown
rows() {
	sbx __options "$1" | awk -F '\t' '$5 !~ /hidden|deprecated/ { print "--" $3 }' | sort
}

commands() {
	sbx __options | cut -f 1 | sort -u | grep .
}

@test "every option is in the help of its command" {
	local command help
	while read -r command; do
		# shellcheck disable=SC2086 # "container inspect" is two words
		help=$(sbx $command --help)
		while read -r option; do
			grep -qE -- "^ +(-., )?$option( |\$)" <<<"$help" || { echo "$command $option"; return 1; }
		done < <(rows "$command")
	done < <(commands)
}

@test "every option is offered to a shell, with its sentence" {
	local command offers
	while read -r command; do
		# shellcheck disable=SC2086 # as above
		offers=$(sbx __complete -- $command --)
		equal "$(cut -f 1 <<<"$offers" | sort)" "$(rows "$command")"
		[ -z "$offers" ] || lacks "$(cut -f 2 <<<"$offers" | sed 's/^$/nothing said/')" "nothing said"
	done < <(commands)
}

@test "bash offers every option" {
	local command
	while read -r command; do
		# shellcheck disable=SC2016,SC2086 # the inner shell's; as above
		equal "$(bash -c '. "$0"
			COMP_WORDS=("$@" --) COMP_CWORD=$#
			_sbx "$1"
			printf "%s\n" "${COMPREPLY[@]}"' "$completion/sbx.bash" "$SBX" $command | grep . | sort -u)" \
			"$(rows "$command")"
	done < <(commands)
}

@test "zsh offers every option" {
	local command
	command -v zsh >/dev/null || lacking "zsh"
	while read -r command; do
		# shellcheck disable=SC2016,SC2086 # as above
		equal "$(zsh -fc 'fpath=($0) words=("$@" --) CURRENT=$(($# + 1))
			_describe() { print -l -- "${(@)${(@P)2}%%:*}"; }
			_files() { :; }
			autoload -Uz _sbx; _sbx' "$completion" "$SBX" $command | grep . | sort)" "$(rows "$command")"
	done < <(commands)
}

@test "fish offers every option" {
	local command
	command -v fish >/dev/null || lacking "fish"
	mkdir bin && ln -s "$SBX" bin/sbx
	while read -r command; do
		# shellcheck disable=SC2016 # as above
		equal "$(PATH=$PWD/bin:$PATH HOME=$PWD fish -Nc 'source $argv[1]; complete -C "sbx $argv[2] --"' \
			"$completion/sbx.fish" "$command" | cut -f 1 | grep . | sort)" "$(rows "$command")"
	done < <(commands)
}

@test "zsh and fish offer commands, containers and images too" {
	sbx import "$box" "$c:tag" >/dev/null
	sbx create --name "$c-made" "$c:tag" true >/dev/null
	equal "$(sbx __complete -- start "$c-" | cut -f 1)" "$c-made"
	equal "$(sbx __complete -- rmi "$c" | cut -f 1)" "$c:tag"
	equal "$(sbx __complete -- run -e A=1 --name x "$c:" | cut -f 1)" ":files
$c:tag"
	equal "$(sbx __complete -- ru | cut -f 1)" run
	equal "$(sbx __complete -- container insp | cut -f 1)" inspect
	equal "$(sbx __complete -- run --network h | cut -f 1)" host
	equal "$(sbx __complete -- run image -)" ""
	equal "$(sbx __complete -- nosuch -)" ""
}

# In a line of bats, of python, of a recorded case, of a plan or a unit: as --name or -x, or in the list of a
# recorded case that tries every option of one command.
@test "every option is in a test" {
	local missing=
	cat "$TESTS"/bats/*.bats "$TESTS"/bats/*.bash "$TESTS"/oracle/cases/*.sh "$TESTS"/unit/*.c \
		"$TESTS"/api/*.py "$TESTS"/plan/*/args "$TESTS"/*.py 2>/dev/null >all || true
	while IFS='|' read -r command letter name; do
		[ -n "$name" ] || continue
		grep -qE -- "(--| )$name([ =\"';]|\$)" all ||
			{ [ -n "$letter" ] && grep -qE -- " -[a-zA-Z]*${letter}[ a-zA-Z0-9=\"']" all; } ||
			missing="$missing$command --$name"$'\n'
	done < <(sbx __options | awk -F '\t' '{ print $1 "|" $2 "|" $3 }')
	equal "$missing" ""
}

@test "what docker's client needs for its daemon is taken, and changes nothing" {
	sbx create --name "$c" "$box" true >/dev/null
	run -0 sbx --tls --tlscacert a --tlscert b --tlskey c --tlsverify -D -H unix:///nowhere ps -a --filter "name=^$c\$" --format '{{.Names}}'
	equal "$output" "$c"
}
