load lib

# up [OPTION...]: starts a container that waits
up() {
	sbx run -d --name "$c" "$@" "$box" sleep 100000 >/dev/null
}

@test "exec runs in the container's namespaces" {
	up
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	for ns in pid net ipc uts mnt; do
		equal "$(sbx exec "$c" readlink "/proc/self/ns/$ns")" "$(readlink "/proc/$pid/ns/$ns")"
	done
}

@test "output, error and status come back" {
	up
	run -9 --separate-stderr sbx exec "$c" sh -c 'echo out; echo err >&2; exit 9'
	equal "$output" out
	equal "$stderr" err
	run -137 sbx exec "$c" sh -c 'kill -9 $$'
}

@test "who was started with SIGCHLD ignored hears how it ended" {
	up
	for command in "run --rm $box" "exec $c"; do
		run -3 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.argv[1], sys.argv[1:])' "$SBX" $command sh -c 'exit 3'
	done
}

@test "standard input reaches it only with -i" {
	up
	equal "$(echo word | sbx exec -i "$c" cat)" word
	equal "$(echo word | sbx exec "$c" cat)" ""
}

@test "a megabyte of any bytes goes through unchanged" {
	up
	head -c 1000000 /dev/urandom >bytes
	sbx exec -i "$c" cat <bytes >copy
	cmp copy bytes
}

@test "-e -w -u and --env-file" {
	up -e FROM=run
	echo B=file >variables
	equal "$(sbx exec -e A=1 --env-file variables -w /tmp -u 1000:50 "$c" \
		sh -c 'echo $A $B $FROM; pwd; id -u; id -g')" $'1 file run\n/tmp\n1000\n50'
}

@test "-u by name takes the user's group and home" {
	up
	equal "$(sbx exec -u user "$c" sh -c 'id -u; id -g; echo $HOME')" $'1000\n1000\n/home'
}

@test "what pid 1 exported is not in an exec's environment" {
	sbx run -d --name "$c" "$box" sh -c 'export SECRET=1; exec sleep 100000' >/dev/null
	lacks "$(sbx exec "$c" env)" SECRET
}

@test "a missing command fails as docker's does, and the container lives on" {
	up
	run sbx exec "$c" no-such-command
	[ "$status" -eq 127 ] || [ "$status" -eq 126 ]
	contains "$output" 'exec: "no-such-command": executable file not found in $PATH'
	run -126 sbx exec "$c" /etc/passwd
	running "$c"
}

@test "exec into what does not run, or is not there, is 1" {
	sbx create --name "$c" "$box" true >/dev/null
	run -1 --separate-stderr sbx exec "$c" true
	contains "$stderr" "is not running"
	run -1 --separate-stderr sbx exec "$c-none" true
	contains "$stderr" "No such container: $c-none"
}

@test "an exec into a container that is just ending is told that it is not running" {
	local id
	for i in {1..20}; do
		id=$(sbx run -d "$box" sleep "0.0$i")
		until # one that has begun is killed with the container
			run --separate-stderr sbx exec "$id" true
			[ "$status" -ne 0 ] && [ "$status" -ne 137 ]
		do :; done
		equal "$status $stderr" "1 Error response from daemon: container $id is not running"
		sbx rm -f "$id" >/dev/null
	done
}

@test "an unknown user or directory is told" {
	up
	run sbx exec -u nobody-here "$c" true
	[ "$status" -ne 0 ]
	contains "$output" "unable to find user nobody-here: no matching entries in passwd file"
	run sbx exec -w /nowhere "$c" true
	[ "$status" -ne 0 ]
}

@test "-d prints nothing and goes on by itself" {
	up
	nap=$(a_nap)
	run -0 sbx exec -d "$c" sleep "$nap"
	equal "$output" ""
	eventually sleeps "$nap"
}

@test "options end at the container" {
	up
	equal "$(sbx exec "$c" printf '%s ' x -e -it --rm)" "x -e -it --rm "
}

@test "an attached client's death by SIGKILL ends what it started" {
	up
	nap=$(a_nap)
	behind exec "$c" sh -c "echo up; sleep $nap"
	line
	eventually sleeps "$nap"
	kill -9 "$client"
	eventually sleeps "$nap" 0
	running "$c"
}

@test "... its whole tree: new sessions, double forks, daemons, the stopped and the deaf" {
	up
	nap=$(a_nap)
	behind exec "$c" sh -c "
		trap '' TERM HUP INT
		sleep $nap &
		setsid sleep $nap &
		(setsid sh -c 'sleep $nap & sleep $nap & exec true' &)
		(trap '' HUP TERM; exec sleep $nap) >/dev/null 2>&1 &
		(setsid sh -c '(setsid sleep $nap &) &' &)
		sh -c 'kill -STOP \$\$; exec sleep $nap' &
		while [ \$(ps -o args | grep -cx 'sleep $nap') -lt 6 ]; do usleep 20000; done
		echo up; exec sleep $nap"
	line
	eventually sleeps "$nap" 7
	before=$(sbx exec "$c" ls /proc | grep -cE '^[0-9]+$')
	kill -9 "$client"
	eventually sleeps "$nap" 0
	# pid 1 and ls are left
	eventually eval '[ "$(sbx exec "$c" ls /proc | grep -cE "^[0-9]+$")" -le 3 ]'
	[ "$before" -gt 8 ]
	running "$c"
}

@test "... while other execs of the container live on" {
	up
	nap=$(a_nap)
	other=$(a_nap)
	behind exec "$c" sh -c "echo up; exec sleep $other"
	line
	first=$client
	sbx exec -d "$c" sleep "$other"
	eventually sleeps "$other" 2
	behind exec "$c" sh -c "echo up; exec sleep $nap"
	line
	eventually sleeps "$nap"
	kill -9 "$client"
	eventually sleeps "$nap" 0
	sleeps "$other" 2
	kill -0 "$first"
}

children() {
	cat "/proc/$1/task/$1/children" 2>/dev/null || true
}

@test "... also where somebody inside stops, or kills, whatever comes in" {
	for signal in STOP KILL; do
		sbx run -d --name "$c" "$box" sh -c "while :; do kill -$signal -1; done" >/dev/null
		pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
		for i in 1 2; do
			run sbx exec --timeout 200ms "$c" sleep 100000
			[[ $status = 124 || ($status = 137 && $signal = KILL) ]]
			behind exec "$c" sleep 100000
			eventually eval '[ -n "$(children "$client")" ] || gone "$client"'
			guard=$(children "$client")
			kill -9 "$client" 2>/dev/null || gone "$client"
			[ -z "$guard" ] || eventually gone "$guard"
			eventually eval '[ -z "$(children "$pid")" ]'
		done
		sbx rm -f "$c" >/dev/null
	done
}

@test "... and its pipes close" {
	up
	mkfifo out
	"$SBX" exec "$c" sh -c 'echo up; exec sleep 100000' >out 2>&1 3>&- &
	pid=$!
	background+=("$pid")
	exec {reader}<out
	read -ru "$reader" word
	equal "$word" up
	kill -9 "$pid"
	word=none
	read -rt 90 -u "$reader" word || [ $? -eq 1 ]
	equal "$word" ""
}

@test "the death by SIGKILL of the process beside an exec ends what it started" {
	up
	nap=$(a_nap)
	behind exec "$c" sh -c "setsid sleep $nap & (setsid sh -c 'sleep $nap & exec true' &); echo up; sleep $nap"
	line
	eventually sleeps "$nap" 3
	kill -9 "$(children "$client")"
	code=0
	wait "$client" || code=$?
	equal "$code" 137
	sleeps "$nap" 0
	running "$c"
}

@test "who stops the process beside an exec holds up no end of its container" {
	up
	behind exec "$c" sh -c 'echo up; exec sleep 100000'
	line
	guard=$(children "$client")
	kill -STOP "$guard"
	run timeout 20 "$SBX" kill "$c"
	kill -CONT "$guard"
	equal "$status $output" "0 $c"
	code=0
	wait "$client" || code=$?
	equal "$code" 137
}

@test "a client ended by another signal ends what it started, too" {
	up
	for signal in TERM HUP USR1; do
		nap=$(a_nap)
		behind exec "$c" sh -c "echo up; sleep $nap"
		line
		kill -s "$signal" "$client"
		eventually sleeps "$nap" 0
	done
	running "$c"
}

@test "the background children of a finished exec stay" {
	up
	nap=$(a_nap)
	run -0 sbx exec "$c" sh -c "sleep $nap >/dev/null 2>&1 </dev/null &"
	eventually sleeps "$nap"
	running "$c"
}

# A subshell that writes once the shell which began it has ended.
late='(while grep -qs "^State:.[^Z]" /proc/$$/status; do usleep 1000; done; echo late; echo worse >&2) & echo first'

@test "what a pipeline writes a moment after the command's end is not lost, as with docker" {
	up
	run -0 --separate-stderr sbx exec "$c" sh -c "$late"
	equal "$output" $'first\nlate'
	equal "$stderr" worse
}

@test "a background child that keeps the streams and is silent does not keep an exec" {
	up
	nap=$(a_nap)
	run -0 sbx exec "$c" sh -c "sleep $nap & echo started"
	equal "$output" started
	sleeps "$nap"
}

@test "an exec ends although its background child writes for ever, and nobody keeps up with it" {
	up
	mkfifo slow
	"$SBX" exec "$c" sh -c 'echo $$; yes & sleep 100000' >slow 3>&- &
	client=$!
	background+=("$client")
	exec {reader}<slow
	read -ru "$reader" shell
	all_full() { # `yes` is blocked five times in a row, so nothing reads its output
		for _ in 1 2 3 4 5; do
			[ "$(sbx exec "$c" sh -c 'cut -d" " -f3 "/proc/$(pidof yes)/stat"')" = S ] || return
		done
	}
	eventually all_full
	sbx exec "$c" kill -9 "$shell"
	bash -c 'while read -r; do :; done' <&"$reader" 3>&- & # slowly
	background+=("$!")
	client_ends
	exec {reader}<&-
	equal "$status" 137
}

@test "exec's processes end with the container" {
	up
	nap=$(a_nap)
	behind exec "$c" sh -c "setsid sleep $nap & echo up; exec sleep $nap"
	line
	eventually sleeps "$nap" 2
	sbx kill "$c" >/dev/null
	client_ends
	equal "$status" 137
	sleeps "$nap" 0
}

# Otherwise a kill of the client's process group would hit the guard, too, and nothing would wait for its command.
@test "the guard of an exec leads a session of its own" {
	up
	behind exec "$c" sh -c 'echo up; exec sleep 100000'
	line
	guard=$(children "$client" | tr -d ' ')
	equal "$(ps -o sid= -p "$guard" | tr -d ' ')" "$guard"
}

# The client knows them by the number of a namespace, which the kernel gives to the next one at once.
@test "a client whose guard was killed kills what that exec has left, and nobody else's" {
	local mine other told
	up
	behind exec "$c" sh -c 'readlink /proc/self/ns/cgroup; exec sleep 300000'
	line
	told=$client guard=$(children "$client" | tr -d ' ')
	mine=$REPLY
	kill -STOP "$told"
	kill -9 "$guard"
	eventually eval '[ -z "$(sbx top "$c" -eo pid,args | grep "sleep 300000")" ]'
	behind exec "$c" sh -c 'readlink /proc/self/ns/cgroup; exec sleep 200000'
	line
	other=$REPLY
	kill -CONT "$told"
	eventually gone "$told"
	sbx top "$c" -eo pid,args | grep -q "sleep 200000"
	[ "$mine" != "$other" ]
}

@test "exec has the container's capabilities and seccomp filter" {
	up
	for field in CapBnd CapEff Seccomp NoNewPrivs; do
		equal "$(sbx exec "$c" grep "^$field:" /proc/self/status)" \
			"$(sbx exec "$c" grep "^$field:" /proc/1/status)"
	done
}

@test "what an exec writes is there for the next one" {
	up
	sbx exec "$c" sh -c 'echo x >/tmp/file; mkdir /made'
	equal "$(sbx exec "$c" sh -c 'cat /tmp/file; ls -d /made')" $'x\n/made'
}

@test "exec's output is not in the logs" {
	up
	sbx exec "$c" echo word
	equal "$(sbx logs "$c")" ""
}

@test "a deleted working directory of the container is an error, no crash" {
	sbx run -d --name "$c" -w /going "$box" sh -c 'rmdir /going; exec sleep 100000' >/dev/null
	run sbx exec "$c" true
	[ "$status" -lt 130 ]
	running "$c"
}
