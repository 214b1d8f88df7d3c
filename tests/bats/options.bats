load lib

# An option is defined by one row: these tests check all rows. (That each is in its man page, with its letter
# and its value: pages.bats.)

completion=$BATS_TEST_DIRNAME/../../cmd/completion

# There must be rows, or the tests would prove nothing.
setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
	sbx __options >all
	[ "$(wc -l <all)" -ge 500 ]
	[ "$(commands | wc -l)" -ge 50 ]
}

# rows COMMAND [FLAGS]: prints the options that are offered, except those with one of the flags
rows() {
	awk -F '\t' -v "command=$1" -v "without=hidden|deprecated${2+|$2}" '$1 == command && $5 !~ without { print "--" $3 }' all | sort
}

commands() {
	cut -f 1 all | sort -u | grep .
}

@test "every option is in the help of its command" {
	local command
	while read -r command; do
		# shellcheck disable=SC2086 # "container inspect" is two words
		equal "$command: $(sbx $command --help | sed -nE 's/^ +(-., )?(--[^ ]+).*/\2/p' | sort -u)" "$command: $(rows "$command" 'windows|experimental')"
	done < <(commands)
}

@test "every option is offered to a shell, with its sentence" {
	local command offers
	while read -r command; do
		# shellcheck disable=SC2086 # as above
		offers=$(sbx __complete $command -- | grep -v "^:")
		equal "$(cut -f 1 <<<"$offers" | sort)" "$(rows "$command")"
		[ -z "$offers" ] || lacks "$(cut -f 2 <<<"$offers" | sed 's/^$/nothing said/')" "nothing said"
	done < <(commands)
}

@test "bash offers every option" {
	local command
	while read -r command; do
		# shellcheck disable=SC2016,SC2086 # the inner shell's; as above
		equal "$(bash -c '. "$0"
			COMP_WORDS=("$@" --) COMP_CWORD=$# COMP_LINE="$* --" COMP_POINT=${#COMP_LINE}
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

# As --name or as its letter, in a line that names the command, too, or in a file about the command only (eval.bats, a recorded
# case "words-ps"). `plan` has the rows of `run`.
@test "every option is in a test of its command" {
	run -0 python3 - "$TESTS" <<-'PY'
		import functools, glob, os, re, sys
		lines = []
		for where in "bats/*.bats", "bats/*.bash", "oracle/cases/*.sh", "api/*.py", "*.py", "plan/*/args":
		    for path in glob.glob(os.path.join(sys.argv[1], where)):
		        text = re.sub(r"\\\n\s*", " ", open(path, errors="replace").read())
		        if path.endswith("/args"):
		            text = "run " + text.replace("\n", " ")
		        lines += [(os.path.basename(path), line) for line in text.splitlines()]
		def tested(command, letter, name):
		    said = r"(?<![\w-])--%s(?![\w-])" % re.escape(name)
		    option = re.compile(said + (r"|\s-[A-Za-z]*%s" % letter if letter else ""))
		    if any(option.search(line) for line in that_name(command)):
		        return True
		    bare = re.compile(r"(?<![\w-])(--)?%s(?![\w-])" % re.escape(name))
		    return command and any(bare.search(line) for line in of_own(command))
		@functools.lru_cache(None)
		def that_name(command):
		    words = {"": r"sbx|DOCKER", "run": "run|create", "create": "run|create"}.get(command, re.escape(command))
		    named = re.compile(r"\b(%s)\b" % words)
		    return [line for _, line in lines if named.search(line)]
		@functools.lru_cache(None)
		def of_own(command):
		    own = re.compile(r"-%s\.sh$|^%s(_\w+)?\.bats$" % ((command.replace(" ", "-"),) * 2))
		    return [line for path, line in lines if own.search(path)]
		rows = [row.rstrip("\n").split("\t")[:3] for row in open("all")]
		print("\n".join("%s --%s" % (c, n) for c, l, n in rows if n and c != "plan" and not tested(c, l, n)))
	PY
	equal "$output" ""
}

# Also commands without options; for the others, man page and completion are checked above and in pages.bats.
@test "every command has a help, a page, its place among the offers, and a test" {
	local group='' word missing=''
	walk() { # GROUP ("": the top): prints the commands in its help
		# shellcheck disable=SC2086 # none or one word
		sbx $1 --help | awk '/ommands[^:]*:$/ { on = 1; next } /^$/ { on = 0 } on { print $1 }'
	}
	for group in '' $(walk '' | grep -xE 'container|context|image|network|system|volume'); do
		equal "$(walk "$group" | sort)" "$(sbx __complete $group "" | cut -f 1 | grep -v "^:" | sort)"
		for word in $(walk "$group"); do
			[ -n "$group" ] || ! sbx "$word" --help | grep -q '^Usage:.* COMMAND$' || continue
			# shellcheck disable=SC2086 # as above
			contains "$(sbx $group "$word" --help)" "Usage:"
			grep -rqE "(sbx|DOCKER|show|miss|t|count|run) .*\b${group:+$group }$word\b" "$TESTS/bats" "$TESTS/oracle/cases" ||
				missing="$missing $group:$word"
		done
	done
	equal "$missing" ""
}

@test "what docker's client needs for its daemon is taken, and changes nothing" {
	sbx create --name "$c" "$box" true >/dev/null
	run -0 sbx --tls --tlscacert a --tlscert b --tlskey c --tlsverify -D -H unix:///nowhere ps -a --filter "name=^$c\$" --format '{{.Names}}'
	equal "$output" "$c"
}

# Docker's client checks keys only after it has asked its daemon.
@test "detach keys that are none are refused: before an exec by name, else as docker's client says it" {
	sbx run -d --name "$c" "$box" sleep 100000
	sbx create --name "$c-2" "$box" true
	for keys in "x," ctrl-1 CTRL-a "ctrl-aa," no; do
		for command in "run --rm --name $c-3 $box true" "start -a $c-2" "attach $c"; do
			read -ra words <<<"$command"
			run -1 --separate-stderr sbx "${words[0]}" --detach-keys "$keys" "${words[@]:1}"
			equal "$stderr" "unable to upgrade to tcp, received 400"
		done
		equal "$(sbx inspect -f '{{.State.Status}}' "$c-3")" created
		sbx rm "$c-3"
		run -1 --separate-stderr sbx exec --detach-keys "$keys" "$c" true
		equal "$stderr" "Error response from daemon: Invalid escape keys ($keys) provided"
		run -1 --separate-stderr sbx exec --detach-keys "$keys" "$c-none" true
		equal "$stderr" "Error response from daemon: No such container: $c-none"
	done
	equal "$(sbx start --detach-keys no "$c-2")" "$c-2"
	sbx run -d --rm --detach-keys no "$box" true
}

@test "docker's config.json gives keys and formats where no option does" {
	mkdir conf
	echo '{"detachKeys": "no", "psFormat": "ps {{.Names}}", "imagesFormat": "i {{.ID}}", "volumesFormat": "v {{.Name}}",
		"networksFormat": "n {{.Name}}"}' >conf/config.json
	id=$(sbx run -d --name "$c" "$box" sleep 100000)
	export DOCKER_CONFIG=$PWD/conf
	run -1 --separate-stderr sbx exec "$c" true
	equal "$stderr" "Error response from daemon: Invalid escape keys (no) provided"
	equal "$(sbx exec --detach-keys ctrl-a "$c" echo said)" said
	equal "$(sbx ps --filter "name=$c")" "ps $c"
	equal "$(sbx ps -q --filter "name=$c")" "${id::12}"
	equal "$(sbx ps --filter "name=$c" --format '{{.State}}')" running
	equal "$(sbx network ls --filter name=host)" "n host"
	sbx volume create "$c-v"
	equal "$(sbx volume ls --filter "name=$c-v")" "v $c-v"
	sbx volume rm "$c-v"
	mkdir conf/other
	echo '{bad' >conf/other/config.json
	run -0 --separate-stderr sbx --config conf/other ps -q --filter "name=$c"
	equal "$output" "${id::12}"
	run -0 --separate-stderr sbx --config conf/other ps --format '{{.Names}}' --filter "name=$c"
	equal "$output" "$c"
	run -0 --separate-stderr sbx --config conf/other ps --filter "name=$c"
	contains "$stderr" "WARNING: Error parsing config file (conf/other/config.json): "
	chmod 0 conf/other/config.json
	run -0 --separate-stderr sbx --config conf/other context show
	equal "$stderr" "WARNING: Error loading config file: open conf/other/config.json: permission denied"
}

@test "odd words are read as docker's client reads them" {
	run -125 --separate-stderr sbx run --rm '' true
	equal "${stderr_lines[0]}" "docker: invalid reference format"
	run -125 --separate-stderr sbx run --rm -v /tmp:/a:rw:z "$box" true
	equal "${stderr_lines[0]}" "docker: invalid spec: /tmp:/a:rw:z: too many colons"
	run -127 --separate-stderr sbx run --rm --entrypoint '["echo"]' "$box" a
	contains "$stderr" 'exec: "[\"echo\"]": executable file not found in $PATH'
	for n in 1 2 3; do sbx create --name "$c-$n" "$box" true; done
	equal "$(sbx ps -ln 2 --filter "name=$c-" --format '{{.Names}}')" "$c-3"$'\n'"$c-2"
	equal "$(sbx ps -l --filter "name=$c-" --format '{{.Names}}')" "$c-3"
	echo text >file
	sbx cp :file "$c-1:/tmp/copy"
	equal "$(sbx cp "$c-1:/tmp/copy" - | tar -xO)" text
}

@test "what is refused is not warned of beside" {
	run -125 --separate-stderr sbx run --rm -m 4g --memory-swap 1g "$box" true
	equal "${stderr_lines[0]}" "docker: Error response from daemon: Minimum memoryswap limit should be larger than memory limit, see usage"
	run -125 --separate-stderr sbx run -d --cpu-shares -1 "$box" true
	equal "${stderr_lines[0]}" "docker: Error response from daemon: shares: invalid argument"
}

@test "real-time scheduling is refused: there is none for control groups" {
	run -125 sbx run --rm --cpu-rt-runtime 1000 "$box" true
	equal "${lines[0]}" "docker: Error response from daemon: kernel does not support CPU real-time scheduler"
	run -1 sbx create --cpu-rt-period 1000 --name "$c" "$box" true
	missing "$c"
	sbx run --rm --cpu-rt-runtime 0 --cpu-rt-period 0 "$box" true
}

@test "what of an option has no effect is said, and what has one is not" {
	run -0 --separate-stderr sbx run --rm --cgroupns private "$box" true
	equal "$stderr" ""
	run -0 --separate-stderr sbx run --rm --cgroupns host "$box" true
	equal "$stderr" "WARNING: --cgroupns host has no effect: a container always has a namespace of its own."
	run -0 --separate-stderr sbx run --rm -v "$PWD:/a:rprivate" --mount "type=bind,src=$PWD,dst=/b,bind-propagation=private" "$box" true
	equal "$stderr" ""
	for driver in json-file local; do
		run -0 --separate-stderr sbx run --rm --log-driver $driver --log-opt compress=true --log-opt max-size=1m --log-opt max-file=2 "$box" true
		equal "$stderr" "WARNING: --log-opt compress has no effect: files of the log that are full stay as they are."
	done
	run -0 --separate-stderr sbx run --rm --log-driver local --log-opt compress=false "$box" true
	equal "$stderr" ""
	own=$(cat /proc/self/oom_score_adj)
	run -0 --separate-stderr sbx run --rm --oom-score-adj -1000 "$box" cat /proc/self/oom_score_adj
	equal "$output" "$own"
	equal "$stderr" "WARNING: --oom-score-adj has no effect: only root lets the kernel kill others first."
	# 0 is asked for while the caller's own is higher: the result is what the kernel allows a shell
	score=$(bash -c 'echo 900 >/proc/$$/oom_score_adj; echo 0 2>/dev/null >/proc/$$/oom_score_adj; cat /proc/$$/oom_score_adj')
	run -0 --separate-stderr bash -c 'echo 900 >/proc/$$/oom_score_adj; exec "$@"' - "$SBX" run --rm --oom-score-adj 0 "$box" cat /proc/self/oom_score_adj
	equal "$output" "$score"
	if [ "$score" = 0 ]; then equal "$stderr" ""; else contains "$stderr" "--oom-score-adj has no effect"; fi
	run -0 --separate-stderr sbx run --rm --oom-score-adj 1000 "$box" cat /proc/self/oom_score_adj
	equal "$output" 1000
	equal "$stderr" ""
}
