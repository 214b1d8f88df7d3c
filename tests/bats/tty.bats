load lib

on_tty() {
	python3 "$BATS_TEST_DIRNAME/terminal.py" "$@"
}

@test "-t gives a terminal of its own, not the caller's" {
	run -0 on_tty -- "$SBX" run --rm -t "$box" sh -c 'test -t 0 && test -t 1 && test -t 2 && tty; ls /dev/pts'
	contains "$output" /dev/pts/0
	lacks "$output" "not a tty"
}

@test "without -t there is none, even when the caller has one" {
	run -1 on_tty -- "$SBX" run --rm -i "$box" sh -c 'test -t 0 || test -t 1 || test -t 2'
	run -0 on_tty -- "$SBX" run --rm "$box" sh -c '! test -e /dev/tty || ! (: </dev/tty) 2>/dev/null'
}

@test "-t without a terminal of the caller's works" {
	run -0 sbx run --rm -t "$box" sh -c 'test -t 1 && echo yes'
	contains "$output" yes
}

@test "-t with the machine's /dev" {
	(: <>/dev/ptmx) 2>/dev/null || lacking "a /dev/ptmx for everybody"
	run -0 sbx run --rm -t -v /dev:/dev "$box" sh -c 'test -t 1 && tty'
	contains "$output" /dev/pts/
	sbx run -d --name "$c" -v /dev:/dev "$box" sleep 100000
	run -0 sbx exec -t "$c" sh -c 'test -t 1 && tty'
	contains "$output" /dev/pts/
	sbx rm -f "$c"
}

@test "-it types into it, and the caller's terminal is raw meanwhile and restored afterwards" {
	run -5 on_tty "expect:ready" raw "send:word\n" "expect:got word" -- \
		"$SBX" run --rm -it "$box" sh -c 'echo ready; read a; echo "got $a"; exit 5'
}

@test "-i -t without a terminal is refused" {
	run -1 --separate-stderr sbx run --rm -it "$box" true </dev/null
	contains "$stderr" "the input device is not a TTY"
}

@test "the window's size is known from the start and when it changes" {
	run -0 on_tty --size 33x77 "expect:33 77" size:44x99 "expect:44 99" -- \
		"$SBX" run --rm -it "$box" sh -c '
			trap "stty size" WINCH; stty size
			i=0; while [ $i -lt 3000 ]; do usleep 20000; i=$((i + 1)); case $(stty size) in "44 99") exit 0; esac; done; exit 1' ||
		{
			echo "$output"
			false
		}
}

@test "ctrl-c is the command's to handle" {
	run -7 on_tty "expect:ready" "send:\\x03" "expect:interrupted" -- \
		"$SBX" run --rm -it "$box" sh -c 'trap "echo interrupted; exit 7" INT; echo ready; while :; do usleep 20000; done'
}

@test "ctrl-d ends a shell" {
	run -0 on_tty "expect:#" "send:echo a\$((20 + 3))b\n" "expect:a23b" "expect:#" "send:\\x04" -- \
		"$SBX" run --rm -it -e 'PS1=# ' "$box" sh
}

@test "the keys ctrl-p ctrl-q let go of the container, which runs on" {
	run -0 on_tty "expect:ready" raw "send:\\x10\\x11" -- \
		"$SBX" run --name "$c" -it "$box" sh -c 'echo ready; exec sleep 100000'
	running "$c"
}

@test "--detach-keys chooses others" {
	run -0 on_tty "expect:ready" raw "send:\\x01x" -- \
		"$SBX" run --name "$c" --detach-keys ctrl-a,x -it "$box" sh -c 'echo ready; exec sleep 100000'
	running "$c"
}

@test "letting go of attach and of exec is told, and is no success; what was exec'ed lives on" {
	sbx run -dit --name "$c" "$box" sh -c 'while :; do echo ready; usleep 50000; done' >/dev/null
	run -1 on_tty "expect:ready" raw "send:\\x10\\x11" "expect:read escape sequence" -- "$SBX" attach "$c"
	run -1 on_tty "expect:inside" raw "send:\\x10\\x11" "expect:read escape sequence" -- \
		"$SBX" exec -it "$c" sh -c 'echo 0 >/n; echo inside; while :; do usleep 10000; echo $((n += 1)) >/n; echo more; done'
	run -0 on_tty "expect:ready" raw "send:\\x10\\x11" -- "$SBX" start -ai "$c"
	running "$c"
	n=$(sbx exec "$c" cat /n)
	goes_on() { [ "$(sbx exec "$c" cat /n)" -gt "$((n + 5))" ]; }
	eventually goes_on
}

@test "... however late the process beside it hears of that" {
	sbx run -dit --name "$c" "$box" sleep 100000 >/dev/null
	cat >stop <<-'EOF'
		for p in /proc/[0-9]*; do
			case $(tr '\0' ' ' <"$p/cmdline" 2>/dev/null) in
			"$SBX exec -it $c "*) cat "$p"/task/*/children >guard ;;
			esac
		done
		kill -STOP $(cat guard)
	EOF
	run -1 env c="$c" python3 "$BATS_TEST_DIRNAME/terminal.py" "expect:inside" raw "run:sh ./stop" "send:\\x10\\x11" \
		"expect:read escape sequence" -- "$SBX" exec -it "$c" sh -c 'echo 0 >/n; echo inside; while :; do usleep 10000; echo $((n += 1)) >/n; done'
	kill -CONT "$(tr -d ' ' <guard)"
	n=$(sbx exec "$c" cat /n)
	goes_on() { [ "$(sbx exec "$c" cat /n)" -gt "$((n + 5))" ]; }
	eventually goes_on
}

@test "what attach finds in front of a terminal is told to show itself again" {
	sbx run -dit --name "$c" "$box" sh -c 'trap "echo again" WINCH; echo ready; while :; do usleep 10000; done' >/dev/null
	eventually logged_ready
	run -1 on_tty "expect:again" raw "send:\\x10\\x11" "expect:read escape sequence" -- "$SBX" attach "$c"
}

@test "a container of run --rm lives on when the user lets go, until its end" {
	run -0 on_tty "expect:ready" raw "send:\\x10\\x11" -- \
		"$SBX" run --rm --name "$c" -it "$box" sh -c 'echo ready; read a; exit 3'
	running "$c"
	run -3 on_tty raw "send:word\n" -- "$SBX" attach "$c"
	eventually missing "$c"
}

@test "the terminal is restored when the container is killed from elsewhere" {
	(eventually running "$c" && eventually logged_ready && sbx kill "$c") 3>&- &
	background+=($!)
	run -137 on_tty "expect:ready" -- "$SBX" run --name "$c" -it "$box" sh -c 'echo ready; exec sleep 100000'
}

logged_ready() {
	[[ $(sbx logs "$c") == *ready* ]]
}

@test "the terminal is restored when the client is ended by SIGTERM" {
	run on_tty "expect:ready" raw kill:TERM -- \
		"$SBX" run --rm -it "$box" sh -c 'trap "exit 3" TERM; echo ready; while :; do usleep 20000; done'
	[ "$status" -eq 3 ] || [ "$status" -eq 143 ]
}

@test "exec -it" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	run -6 on_tty --size 21x43 "expect:21 43" raw "send:word\n" "expect:got word" -- \
		"$SBX" exec -it "$c" sh -c 'stty size; tty; read a; echo "got $a"; exit 6'
	contains "$output" /dev/pts/
}

@test "exec -it: a killed client's terminal goes, and what it ran with it" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	nap=$(a_nap)
	run -137 on_tty "expect:ready" kill:KILL -- "$SBX" exec -t "$c" sh -c "echo ready; sleep $nap"
	eventually sleeps "$nap" 0
	running "$c"
}

@test "TERM is set with -t alone" {
	contains "$(sbx run --rm -t "$box" env)" "TERM=xterm"
	lacks "$(sbx run --rm "$box" env)" "TERM="
}

@test "lines of a terminal end with a carriage return, those of a pipe do not" {
	equal "$(sbx run --rm -t "$box" echo x | od -c | head -n 1 | tr -s ' ')" '0000000 x \r \n'
	equal "$(sbx run --rm "$box" echo x | od -c | head -n 1 | tr -s ' ')" '0000000 x \n'
}

@test "that there is no network is said, once, and on a terminal only" {
	run -0 on_tty -- "$SBX" run --rm "$box" true
	contains "$output" "network"
	equal "$(grep -c "SBX_NETWORK" <<<"$output")" 1
	run -0 --separate-stderr sbx run --rm "$box" true
	equal "$stderr" ""
}

@test "... and not to who asked for none" {
	XDG_CONFIG_HOME=$PWD SBX_ROOT=$PWD/d SBX_RUNTIME=$PWD/r run -0 on_tty -- "$SBX" run --rm --network none "$box" true
	lacks "$output" "SBX_NETWORK"
}

@test "a terminal's escape sequences and megabytes pass unchanged" {
	run -0 on_tty "expect:end-of-it" -- "$SBX" run --rm -t "$box" sh -c 'seq 100000; printf "\033[31mred\033[0m"; echo end-of-it'
	contains "$output" $'99999\n100000\n\e[31mred\e[0m'
}
