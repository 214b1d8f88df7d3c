load lib

@test "every command answers --help with its usage, and its options from their rows" {
	for command in run create start exec stop kill restart rm ps logs wait inspect images import rmi tag version info; do
		run -0 sbx "$command" --help
		[[ $output == *Usage:*"$command"* ]] || { echo "$command: $output"; return 1; }
		sbx __options "$command" >rows
		# `read` would take several tabs for one separator
		while IFS=: read -r name flags; do
			[ "$name" = help ] || [[ $flags =~ hidden|windows|experimental ]] || contains "$output" "--$name"
		done < <(cut -f 3,5 <rows | tr '\t' :)
	done
}

@test "no arguments, help and --help show the commands and end well" {
	run -0 sbx --help
	for command in run exec ps images inspect; do
		contains "$output" "  $command "
	done
	run -0 sbx help
	run sbx
	[ "$status" -le 1 ]
	contains "$output" "Usage"
}

@test "an unknown command is told" {
	run -1 --separate-stderr sbx no-such-command
	contains "$stderr" "no-such-command"
}

@test "the management spellings are the same commands" {
	sbx container run --name "$c" "$box" true
	equal "$(sbx container inspect -f '{{.State.ExitCode}}' "$c")" 0
	sbx container ls -a >/dev/null
	sbx image ls >/dev/null
	equal "$(sbx container rm "$c")" "$c"
}

@test "version and info, and their formats" {
	run -0 sbx version
	contains "$output" "Version:"
	[ -n "$(sbx version --format '{{.Client.Version}}')" ]
	[ -n "$(sbx version --format '{{.Server.Version}}')" ]
	run -0 sbx info --format '{{.OSType}} {{.Architecture}}'
	equal "$output" "linux $(uname -m)"
	sbx info --format '{{json .}}' | python3 -c 'import json, sys; assert json.load(sys.stdin)["NCPU"] > 0'
	sbx --version
}

@test "global options of docker's are accepted" {
	sbx -D -l error --config "$PWD" -H unix:///nowhere ps >/dev/null
}

@test "called docker, it is docker" {
	ln -s "$SBX" docker
	run -0 ./docker --version
	contains "$output" "Docker version"
	equal "$(./docker run --rm "$box" echo x)" x
}

@test "a wrong number of arguments names the command" {
	for command in start stop kill rm wait inspect rmi logs; do
		run -1 --separate-stderr sbx "$command"
		contains "$stderr" "$command"
		contains "$stderr" "requires"
	done
}

@test "output that cannot be written is an error, no crash" {
	run bash -c '"$0" images >/dev/full' "$SBX"
	[ "$status" -ne 0 ] && [ "$status" -lt 126 ]
}

@test "there is one context, and plan shows what a run would do without doing it" {
	equal "$(sbx context ls -q)" default
	equal "$(sbx context show)" default
	contains "$(sbx plan --network none "$box" true)" "true"
	run -125 --separate-stderr sbx plan nosuch
	equal "$stderr" "sbx plan: No such image: nosuch:latest"
	run -125 --separate-stderr sbx plan --restart always --rm "$box"
	equal "$stderr" "sbx plan: conflicting options: cannot specify both --restart and --rm"
	equal "$(sbx ps -aq)" ""
}
