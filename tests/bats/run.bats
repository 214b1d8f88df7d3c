load lib

@test "what the command prints and how it ends is what the client prints and how it ends" {
	run -7 --separate-stderr sbx run --rm "$box" sh -c 'echo out; echo err >&2; exit 7'
	equal "$output" out
	equal "$stderr" err
}

@test "a command that does not exist is 127, and the message names it" {
	run -127 --separate-stderr sbx run --rm "$box" no-such-command
	equal "$output" ""
	contains "$stderr" 'exec: "no-such-command": executable file not found in $PATH'
	run -127 --separate-stderr sbx run --rm "$box" /no/such/command
	contains "$stderr" 'exec: "/no/such/command": stat /no/such/command: no such file or directory'
}

@test "a command that cannot be executed is 126" {
	run -126 --separate-stderr sbx run --rm "$box" /etc/passwd
	contains "$stderr" 'exec: "/etc/passwd": permission denied'
	run -126 sbx run --rm "$box" /etc
}

@test "an unknown option is 125 and nothing is made" {
	run -125 --separate-stderr sbx run --name "$c" --no-such-option "$box" true
	contains "$stderr" "unknown flag: --no-such-option"
	contains "$stderr" "run --help"
	missing "$c"
}

@test "an option without its value is 125" {
	run -125 --separate-stderr sbx run --name
	contains "$stderr" "flag needs an argument: --name"
}

@test "no image at all is 1, as every wrong number of arguments" {
	run -1 --separate-stderr sbx run
	contains "$stderr" "requires at least 1 argument"
}

@test "an image that is not there is 125 and the message says its name" {
	run -125 --separate-stderr sbx run --rm --pull never no-such-image:9 true
	contains "$stderr" "No such image: no-such-image:9"
	run -125 --separate-stderr sbx run --rm ./no-such-file.sqsh true
	contains "$stderr" "no-such-file.sqsh"
}

@test "a child's death by a signal is 128 and its number" {
	run -143 sbx run --rm "$box" sh -c 'sh -c "kill -TERM \$\$"; exit $?'
	run -137 sbx run --rm "$box" sh -c 'sh -c "kill -KILL \$\$"; exit $?'
	needs_static
	run -143 sbx run --rm --init "$box" sh -c 'kill -TERM $$'
}

@test "a container killed from outside is 137" {
	behind run --name "$c" "$box" sh -c 'echo up; exec sleep 1000'
	line
	sbx kill "$c"
	client_ends
	equal "$status" 137
	equal "$(sbx inspect -f '{{.State.ExitCode}}' "$c")" 137
}

@test "the command is pid 1 of a pid namespace of its own" {
	run -0 sbx run --rm "$box" sh -c 'echo $$; readlink /proc/self/ns/pid; exec readlink /proc/self'
	equal "${lines[0]}" 1
	equal "${lines[2]}" 1
	[ "${lines[1]}" != "$(readlink /proc/self/ns/pid)" ]
}

@test "with --init the command is not pid 1, and orphans are reaped" {
	needs_static
	run -0 sbx run --rm --init "$box" sh -c '
		[ $$ != 1 ] || exit 3
		sh -c "sh -c \"echo \\\$\\\$ >/orphan\" & exec true"
		until [ -s /orphan ] && [ ! -e "/proc/$(cat /orphan)" ]; do usleep 10000; done'
}

@test "nothing survives the end of pid 1" {
	nap=$(a_nap)
	run -0 sbx run --name "$c" "$box" sh -c "
		sleep $nap & setsid sleep $nap & (setsid sleep $nap >/dev/null 2>&1 &)
		until [ \$(ps -o args | grep -cx 'sleep $nap') -ge 3 ]; do usleep 20000; done"
	sleeps "$nap" 0
}

@test "--rm leaves no container, without it the container stays with its status" {
	sbx run --rm --name "$c" "$box" true
	missing "$c"
	run -3 sbx run --name "$c" "$box" sh -c 'exit 3'
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 3"
}

@test "-d prints the id alone, and the container runs" {
	run -0 --separate-stderr sbx run -d --name "$c" "$box" sleep 1000
	[[ $output =~ ^[0-9a-f]{64}$ ]]
	equal "$stderr" ""
	equal "$output" "$(sbx inspect -f '{{.Id}}' "$c")"
	running "$c"
	kill -0 "$(sbx inspect -f '{{.State.Pid}}' "$c")"
}

@test "-d --rm is gone when its command has ended" {
	sbx run -d --rm --name "$c" "$box" sh -c 'usleep 100000; exit 4' >out
	eventually missing "$c"
}

@test "-d of a missing command fails with its message" {
	run -127 --separate-stderr sbx run -d --name "$c" "$box" no-such-command
	contains "$stderr" "executable file not found"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "created 127"
}

@test "run --rm dies with its client, even by SIGKILL" {
	nap=$(a_nap)
	behind run --rm --name "$c" "$box" sh -c "setsid sleep $nap & echo up; exec sleep $nap"
	line
	eventually sleeps "$nap" 2
	kill -9 "$client"
	eventually sleeps "$nap" 0
	eventually missing "$c"
}

@test "run --rm dies with its client in the middle of a word" {
	for _ in {1..10}; do
		nap=$(a_nap)
		behind run --rm "$box" sh -c "sleep $nap & while :; do echo word; done"
		line
		kill -9 "$client"
		eventually sleeps "$nap" 0
		client_ends
		exec {from}<&-
	done
}

@test "run without --rm lives on when its client is killed" {
	nap=$(a_nap)
	behind run --name "$c" "$box" sh -c "echo up; usleep 300000; echo later; exec sleep $nap"
	line
	kill -9 "$client"
	eventually gone "$client"
	eventually sleeps "$nap" 1
	running "$c"
	eventually logged "$c" later
	sbx kill "$c"
	eventually ended "$c"
}

logged() {
	[[ $(sbx logs "$1" 2>&1) == *"$2"* ]]
}

@test "signals to the client reach the command" {
	for signal in TERM INT HUP USR1; do
		behind run --rm "$box" sh -c "trap 'echo got $signal; exit 9' $signal; echo up; while :; do usleep 50000; done"
		line
		kill -s "$signal" "$client"
		line
		equal "$REPLY" "got $signal"
		client_ends
		equal "$status" 9
	done
}

@test "with --sig-proxy=false they do not" {
	behind run --name "$c" --sig-proxy=false "$box" sh -c 'trap "echo got; exit 9" TERM; echo up; while :; do usleep 50000; done'
	line
	kill -TERM "$client"
	sbx exec "$c" true
	running "$c"
	lacks "$(sbx logs "$c")" got
}

ends_when_asked_again() {
	kill -TERM "$client" 2>/dev/null
	gone "$client"
}

it_hears_of_a_signal() {
	sbx kill -s INT "$c"
	read -rt 0.2 -u "$from"
}

@test "passed on or not, the third SIGTERM or SIGINT ends the client and no other" {
	behind run --name "$c" "$box" sh -c 'trap "echo T" TERM; trap "echo I" INT; echo up; while :; do usleep 50000; done'
	line
	for signal in TERM INT; do
		kill -s "$signal" "$client"
		line
		equal "$REPLY" "${signal:0:1}"
	done
	kill -TERM "$client"
	client_ends
	equal "$status" 1
	equal "$(cat "$BATS_TEST_TMPDIR"/pipe.*.err)" $'\ngot 3 SIGTERM/SIGINTs, forcefully exiting'
	running "$c"
	rm "$BATS_TEST_TMPDIR"/pipe.*
	behind attach --sig-proxy=false "$c"
	eventually it_hears_of_a_signal # it does not get what was printed before it was attached
	eventually ends_when_asked_again
	client_ends
	equal "$status" 1
	equal "$(cat "$BATS_TEST_TMPDIR"/pipe.*.err)" $'\ngot 3 SIGTERM/SIGINTs, forcefully exiting'
	running "$c"
	lacks "$(sbx logs "$c" | tail -n 1)" T
}

@test "environment: -e sets, passes on, --env-file reads, nothing of the caller's leaks" {
	export LEAK=1 PASSED='a b'
	printf '# no\nA=1\n\nB=x y\nPASSED\n' >variables
	run -0 sbx run --rm --env-file variables -e C=3 -e PASSED -e UNSET_THING "$box" env
	for want in A=1 'B=x y' C=3 'PASSED=a b' HOME=/root; do
		contains "$output" "$want"
	done
	lacks "$output" LEAK
	lacks "$output" UNSET_THING
	lacks "$output" SBX_
	contains "$output" "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

@test "the later -e wins, and over --env-file" {
	echo A=file >variables
	equal "$(sbx run --rm -e A=1 -e A=2 --env-file variables "$box" sh -c 'echo $A')" 2
}

@test "a missing --env-file is 125" {
	run -125 --separate-stderr sbx run --rm --env-file nowhere "$box" true
	contains "$stderr" "nowhere"
}

@test "-w sets the working directory and makes it" {
	equal "$(sbx run --rm -w /a/b/c "$box" pwd)" /a/b/c
	equal "$(sbx run --rm "$box" pwd)" /
	run -125 --separate-stderr sbx run --rm -w relative "$box" pwd
	contains "$stderr" "invalid"
}

@test "--entrypoint replaces, its arguments are the command" {
	equal "$(sbx run --rm --entrypoint echo "$box" a 'b  c')" "a b  c"
}

@test "arguments arrive as they were given" {
	run -0 sbx run --rm "$box" printf '[%s]' '' ' ' '*' '$HOME' '--rm' $'two\nlines' '"' 'ü'
	equal "$output" $'[][ ][*][$HOME][--rm][two\nlines]["][ü]'
}

@test "options end at the image" {
	equal "$(sbx run --rm "$box" echo --rm -e A=1)" "--rm -e A=1"
	equal "$(sbx run --rm -- "$box" echo x)" x
}

@test "-h and --domainname name the machine" {
	equal "$(sbx run --rm -h here "$box" hostname)" here
	equal "$(sbx run --rm -h here "$box" cat /etc/hostname)" here
	sbx run -d --name "$c" "$box" sleep 1000 >id
	equal "$(sbx exec "$c" hostname)" "$(head -c 12 id)"
}

@test "--add-host stands in /etc/hosts" {
	contains "$(sbx run --rm --add-host far:10.1.2.3 "$box" cat /etc/hosts)" $'10.1.2.3\tfar'
}

@test "the file of --cidfile is written, and never overwritten" {
	sbx run --cidfile cid --name "$c" "$box" true
	equal "$(cat cid)" "$(sbx inspect -f '{{.Id}}' "$c")"
	run -125 --separate-stderr sbx run --rm --cidfile cid "$box" true
	contains "$stderr" "container ID file found"
}

@test "a container whose id cannot be written to the --cidfile is not there, and its id is not printed" {
	for words in create run "run -d" "run --detach-keys a,,b"; do
		# shellcheck disable=SC2016
		run --separate-stderr unshare -Urm --propagation private bash -c '
			mkdir -p full && mount -t tmpfs -o size=4k none full || exit 77
			head -c 1M /dev/zero >full/x 2>/dev/null # until it is full
			"$0" $2 --name "$3" --cidfile full/cid "$1" true
			status=$?
			[ ! -e full/cid ] || exit 78
			exit "$status"' "$SBX" "$box" "$words" "$c"
		[ "$status" -ne 77 ] || lacking "no tmpfs can be mounted in a namespace here"
		[[ $status == 1 && $words == create || $status == 125 ]]
		contains "$stderr" "failed to write the container ID to the file: No space left on device"
		equal "$output" ""
		run -1 sbx inspect "$c"
	done
}

@test "a name in use is 125 and both stay apart" {
	sbx run -d --name "$c" "$box" sleep 1000 >id
	run -125 --separate-stderr sbx run --name "$c" "$box" true
	contains "$stderr" "The container name \"/$c\" is already in use by container \"$(cat id)\""
	running "$c"
}

@test "a bad name is 125" {
	for name in a 'a b' ../x /x/y -x; do
		run -125 sbx run "--name=$name" "$box" true
	done
}

@test "-l and --label-file give labels" {
	echo from=file >labels
	sbx create --name "$c" -l a=1 --label b --label-file labels "$box" true >/dev/null
	equal "$(sbx inspect -f '{{.Config.Labels.a}} {{.Config.Labels.from}}' "$c")" "1 file"
}

@test "the working directory of the caller does not matter" {
	mkdir gone
	cd gone
	rmdir ../gone
	equal "$(sbx run --rm "$box" echo x)" x
}

@test "--rm and --restart do not go together" {
	run -125 --separate-stderr sbx run --rm --restart always "$box" true
	contains "$stderr" "onflicting options"
}

@test "--pull has three values" {
	run -125 --separate-stderr sbx run --rm --pull sometimes "$box" true
	contains "$stderr" "pull"
}

@test "--device shows a device of the host, which is told to be missing when the container starts" {
	run -0 sbx run --rm --device /dev/null:/dev/mynull "$box" sh -c 'test -c /dev/mynull && echo x >/dev/mynull && echo ok'
	equal "$output" ok
	run -127 sbx run --rm --device /dev/nosuch "$box" true # docker's client makes it 127, as the message has "no such file or directory"
	contains "$output" 'error gathering device information while adding custom device "/dev/nosuch": no such file or directory'
	run -0 sbx create --name "$c" --device /dev/nosuch "$box" true
	run -1 sbx start "$c"
}
