load lib

scripts=$BATS_TEST_DIRNAME/../../cmd/completion
completion=$scripts/sbx.bash

# offers WORD...: prints the completions of the last word
offers() {
	# shellcheck source=/dev/null
	bash -c '
		. "$0"
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$* COMP_POINT=${#COMP_LINE} COMP_WORDBREAKS=" "
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

# told WORD...: what __complete offers for the last word, without descriptions, on one line
told() {
	sbx __completeNoDesc "$@" 2>/dev/null | tr '\n' ' '
}

@test "a shell is told as docker's client tells it" {
	equal "$(sbx __complete ps --for 2>&1)" $'--format\tFormat output using a custom template:\n:4\nCompletion ended with directive: ShellCompDirectiveNoFileComp'
	equal "$(sbx __complete container insp 2>/dev/null)" $'inspect\tDisplay detailed information on one or more containers\n:4'
	equal "$(told run --log-driver local --log-opt max)" "max-buffer-size= mode= compress= max-file= max-size= :2 "
	equal "$(told run --pid '')" "container: host :4 "
	equal "$(told run --pid con)" "container: host :2 "
	equal "$(told run --network=ho)" "host none :4 "
	equal "$(told run -it --uts '')" "host :4 "
	equal "$(told run -m1g --restart x)" "no always on-failure unless-stopped :4 "
	equal "$(told run --security-opt label=)" "label=disable label=level: label=role: label=type: label=user: :4 "
	equal "$(told run --security-opt seccomp=)" "seccomp=unconfined :4 "
	equal "$(told events --filter '')" "container= daemon= event= image= label= network= node= scope= type= volume= :2 "
	equal "$(told events --filter scope=)" "scope=local scope=swarm :4 "
	equal "$(told --log-level '')" "debug info warn error fatal panic :4 "
	equal "$(told context use '')" "default :4 "
	equal "$(told ps --format '')$(told inspect --format '')" "json table :4 json :4 "
	equal "$(told run --env-file '')$(told run --name '')" ":0 :4 "
	contains "$(told run --cap-add '')" "ALL CAP_CHOWN "
	contains "$(told kill -s '')" " RTMIN+15 :4"
	contains "$(SBX_SEEN=1 told run -e '')" "SBX_SEEN "
	lacks "$(SBX_SEEN=secret told run -e '')" secret
	equal "$(told nosuch -)$(told run image -)$(told ps -- -)" ":0 :0 :4 "
	run -1 sbx __complete
	equal "$output" "requires at least 1 arg(s), only received 0"
}

@test "each command is offered the containers that it takes" {
	sbx create --name "$c-made" "$box" true >/dev/null
	sbx run -d --name "$c-up" "$box" sleep 1000 >/dev/null
	sbx run -d --name "$c-still" "$box" sleep 1000 >/dev/null
	sbx pause "$c-still" >/dev/null
	takes() { # COMMAND... NAME...
		equal "$1: $(told $1 '' | tr ' ' '\n' | sed -n "s/^$c-//p" | sort | tr '\n' ' ')" "$1: ${*:2} "
	}
	for command in exec attach pause; do takes $command up; done
	takes unpause still
	for command in start rm "container rm"; do takes "$command" made; done
	for command in stop kill wait stats top port; do takes $command still up; done
	for command in "rm -f" "rm --force" restart logs rename update diff export inspect "container inspect" "run --volumes-from" "network connect none"; do
		takes "$command" made still up
	done
	takes "run --link" made: still: up:
	takes cp made: still: up:
	equal "$(told cp "$c-up:/etc/pa")" ":0 "
	equal "$(told run --ipc container:x | tr ' ' '\n' | grep "^container:$c-" | sort | tr '\n' ' ')" "container:$c-made container:$c-still container:$c-up "
	equal "$(DOCKER_COMPLETION_SHOW_CONTAINER_IDS=yes told exec '')" "$(sbx inspect -f '{{.Id}}' "$c-up") $c-up :4 "
	sbx rm -f "$c-made" "$c-up" "$c-still"
}

@test "the scripts are given to who asks for them" {
	equal "$(sbx completion bash)" "$(cat "$completion")"
	equal "$(sbx completion zsh)" "$(cat "$scripts/_sbx")"
	equal "$(sbx completion fish)" "$(cat "$scripts/sbx.fish")"
	ln -s "$SBX" docker
	equal "$(./docker completion bash | tail -n 1)" "complete -o default -F _sbx docker"
	equal "$(./docker completion zsh | head -n 1)" "#compdef docker"
	equal "$(./docker completion fish | tail -n 1)" "complete -c docker -f -a '(__sbx_offers)'"
	contains "$(sbx completion bash --no-descriptions)" ' __completeNoDesc '
	run -1 sbx completion powershell
	contains "$(sbx completion)" "Generate the autocompletion script for bash"
}

# Command lines, and the words that each shell must make of them after Tab.
lines() {
	local line want
	mkdir bin && ln -s "$SBX" bin/sbx
	: >"a file"
	sbx import "$box" "$c:tag" >/dev/null
	sbx create --name "$c-made" "$c:tag" true >/dev/null
	while IFS='|' read -r line want; do
		"$1" "$line" "$want"
	done <<-LINES
		container insp|<container><inspect>
		ps --no-t|<ps><--no-trunc>
		start $c-|<start><$c-made>
		rmi $c:t|<rmi><$c:tag>
		rmi $c|<rmi><$c:tag>
		run --network ho|<run><--network><host>
		run --network=ho|<run><--network=host>
		run --pid=container:$c|<run><--pid=container:$c-made>
		run --cap-add CAP_SYS_A|<run><--cap-add><CAP_SYS_ADMIN>
		run --security-opt secc|<run><--security-opt><seccomp=>
		run --env-file a|<run><--env-file><a file>
		run --env-file=a|<run><--env-file=a file>
		run -v ./a|<run><-v><./a file>
		events --filter container=$c|<events><--filter><container=$c-made>
	LINES
	sbx rm "$c-made" && sbx rmi "$c:tag"
}

# typed SHELL... -- LINE WANT: types the line and Tab into the shell, and runs it as a command that prints its words
typed() {
	local shell=()
	while [ "$1" != -- ]; do shell+=("$1"); shift; done
	python3 "$BATS_TEST_DIRNAME/terminal.py" 'expect:ready' "send:sbx $2\\t\\x01printf '<%s>' \\n" "expect:<sbx>$3" \
		'send:exit\n' -- "${shell[@]}" >seen || { echo "$2"; cat seen; return 1; }
}

@test "bash completes lines" {
	cat >rc <<-RC
		PATH=$PWD/bin:\$PATH
		. "$completion"
		PS1=ready
	RC
	of_bash() { typed bash --noprofile --rcfile rc -i -- "$@"; }
	lines of_bash
}

@test "zsh completes lines" {
	command -v zsh >/dev/null || lacking "zsh"
	cat >.zshrc <<-RC
		PATH=$PWD/bin:\$PATH
		bindkey -e
		fpath=("$scripts" \$fpath)
		autoload -Uz compinit && compinit -u -d "$PWD/dump"
		PS1=ready
	RC
	of_zsh() { typed env ZDOTDIR="$PWD" zsh -d -i -- "$@"; }
	lines of_zsh
}

@test "fish completes lines" {
	command -v fish >/dev/null || lacking "fish"
	of_fish() {
		local offered
		# shellcheck disable=SC2016 # the inner shell's
		offered=$(PATH=$PWD/bin:$PATH HOME=$PWD fish -Nc 'source $argv[1]; complete -C "sbx $argv[2]"' "$scripts/sbx.fish" "$1" | cut -f 1)
		contains "$2" "<${offered#"sbx "}>"
		[ -n "$offered" ] || { echo "nothing for: $1"; return 1; }
	}
	lines of_fish
}
