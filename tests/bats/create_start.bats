load lib

@test "create prints an id and starts nothing" {
	nap=$(a_nap)
	run -0 --separate-stderr sbx create --name "$c" "$box" sleep "$nap"
	[[ $output =~ ^[0-9a-f]{64}$ ]]
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.Pid}}' "$c")" "created 0"
	sleeps "$nap" 0
}

@test "start prints what it was given and the container runs" {
	nap=$(a_nap)
	sbx create --name "$c" "$box" sleep "$nap" >/dev/null
	equal "$(sbx start "$c")" "$c"
	eventually sleeps "$nap"
	running "$c"
}

@test "start -a shows the output and ends with the command's status" {
	sbx create --name "$c" "$box" sh -c 'echo out; echo err >&2; exit 5' >/dev/null
	run -5 --separate-stderr sbx start -a "$c"
	equal "$output" out
	equal "$stderr" err
}

@test "start -ai passes standard input on" {
	sbx create -i --name "$c" "$box" sh -c 'read a; echo "got $a"' >/dev/null
	equal "$(echo word | sbx start -ai "$c")" "got word"
}

@test "a container can be started again, and its files are still there" {
	sbx create --name "$c" "$box" sh -c 'echo x >>/count; wc -l </count' >/dev/null
	equal "$(sbx start -a "$c")" 1
	equal "$(sbx start -a "$c")" 2
}

@test "starting what runs is no error and starts nothing" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	equal "$(sbx start "$c")" "$c"
	equal "$(sbx inspect -f '{{.State.Pid}}' "$c")" "$pid"
	sleeps "$nap" 1
}

@test "start takes several, and a missing one does not stop the others" {
	sbx create --name "$c-1" "$box" true >/dev/null
	sbx create --name "$c-2" "$box" true >/dev/null
	run -1 --separate-stderr sbx start "$c-1" "$c-none" "$c-2"
	equal "$output" "$c-1"$'\n'"$c-2"
	contains "$stderr" "No such container: $c-none"
	equal "$(sbx wait "$c-1" "$c-2")" $'0\n0'
}

@test "start by the beginning of an id" {
	id=$(sbx create "$box" true)
	equal "$(sbx start "${id:0:12}")" "${id:0:12}"
}

@test "start of a missing command is told, and the container says why" {
	sbx create --name "$c" "$box" no-such-command >/dev/null
	run --separate-stderr sbx start "$c"
	[ "$status" -ne 0 ]
	contains "$stderr" "executable file not found"
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "created 127"
	contains "$(sbx inspect -f '{{.State.Error}}' "$c")" "executable file not found"
}

@test "create of a missing image is 1" {
	run -1 --separate-stderr sbx create --pull never no-such-image true
	contains "$stderr" "No such image: no-such-image:latest"
}

@test "a name that a killed command left, and that cannot be taken away, is told of" {
	[ "$(id -u)" -ne 0 ] || lacking "root writes everywhere"
	export SBX_ROOT=$PWD/d
	sbx create --name "$c" "$box" true >/dev/null
	ln -s "$(printf '%052d' 0)" d/names/left
	chmod 500 d/names
	run -1 --separate-stderr timeout -s KILL 60 "$SBX" rename "$c" left
	contains "$stderr" "name left: Permission denied"
	run -1 --separate-stderr timeout -s KILL 60 "$SBX" create --name left "$box" true
	contains "$stderr" "name left: Permission denied"
	chmod 700 d/names
	sbx rename "$c" left
	sbx rm left
}

@test "create --rm: gone when it has run" {
	sbx create --rm --name "$c" "$box" sh -c 'exit 6' >/dev/null
	run -6 sbx start -a "$c"
	eventually missing "$c"
}

@test "restart ends the command and starts it anew, its files stay" {
	sbx run -d --name "$c" "$box" sh -c 'echo x >>/count; exec sleep 1000' >/dev/null
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	eventually sbx exec "$c" test -s /count
	equal "$(sbx restart -t 0 "$c")" "$c"
	gone "$pid"
	running "$c"
	eventually eval '[ "$(sbx exec "$c" wc -l /count)" = "2 /count" ]'
}

@test "restart starts what is stopped" {
	sbx create --name "$c" "$box" sleep 1000 >/dev/null
	sbx restart "$c"
	running "$c"
}

@test "one container at a time: many starts at once start it once" {
	nap=$(a_nap)
	sbx create --name "$c" "$box" sleep "$nap" >/dev/null
	pids=()
	for i in 1 2 3 4 5 6 7 8; do
		sbx start "$c" >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
	eventually sleeps "$nap" 1
	running "$c"
}

@test "many that start it at once and attach all hear how it ends" {
	sbx create --name "$c" "$box" sh -c 'exit 6' >/dev/null
	for i in 1 2 3 4 5 6 7 8; do
		sbx start -a "$c" 3>&- &
		background+=($!)
	done
	for pid in "${background[@]}"; do
		status=0
		wait "$pid" || status=$?
		equal "$status" 6
	done
}

@test "a container with long labels can be read, started and removed" {
	for i in {1..80}; do printf 'k%d=%060000d\n' "$i" 0; done >labels
	sbx create --name "$c" --label-file labels "$box" true
	equal "$(sbx inspect -f '{{len .Config.Labels}}' "$c")" 80
	sbx start -a "$c"
	equal "$(sbx ps -a --filter "name=$c" --format '{{.Names}}')" "$c"
	sbx rm "$c"
}

@test "who joins a container that ends at that moment runs, or hears that it is not running" {
	for mode in "--pid" "--network"; do
		for _ in {1..15}; do
			sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
			"$SBX" kill "$c" >/dev/null 3>&- &
			run sbx run --rm "$mode" "container:$c" "$box" true
			wait $!
			case $status in
			0) equal "$output" "" ;;
			137) equal "$mode" --pid ;; # it had begun, and its processes have ended with the other's
			*)
				equal "$status" 125
				contains "$output" running
				;;
			esac
			sbx rm "$c" >/dev/null
		done
	done
}
