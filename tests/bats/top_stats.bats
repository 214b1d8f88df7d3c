load lib

@test "top shows the container's processes, those that were exec'ed as well, and no others" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sh -c "sleep $nap & sleep $nap; :"
	sbx exec -d "$c" sleep "$nap"
	eventually sleeps "$nap" 3
	equal "$(sbx top "$c" | awk 'NR == 1 { print $1, $2, $3, $4, $5, $6, $7, $8 }')" "UID PID PPID C STIME TTY TIME CMD"
	equal "$(sbx top "$c" | tail -n +2 | wc -l)" 4
	equal "$(sbx top "$c" | grep -c " sleep $nap\$")" 3
	equal "$(sbx top "$c" -o pid,comm | awk 'NR > 1 { print $2 }' | sort | uniq -c | xargs)" "1 sh 3 sleep"
	contains "$(sbx top "$c" -o pid)" "$(sbx inspect -f '{{.State.Pid}}' "$c")"
}

@test "top shows the users whom the container sees" {
	sbx run -d --name "$c" -u 4321 "$box" sleep 100000
	equal "$(sbx top "$c" -o pid,uid | awk 'NR > 1 { print $2 }')" 4321
	equal "$(sbx top "$c" | awk 'NR > 1 { print $1 }')" 4321
}

@test "top has the names of users, and chooses by them, as they are inside" {
	sbx run -d --name "$c" "$box" sleep 100000
	equal "$(sbx top "$c" | awk 'NR > 1 { print $1 }')" root
	command -v ps >/dev/null || lacking "ps"
	for words in "-u root" "-u 0" "-fu root" "-U 33,root" "--user=root" "--user root"; do
		equal "$(sbx top "$c" $words | awk 'NR > 1 { print $NF == "sleep" || $NF == 100000 }')" 1
	done
	equal "$(sbx top "$c" -o pid,user=WHO | awk '{ print $2 }' | xargs)" "WHO root"
	run -1 sbx top "$c" -u 33
	equal "$output" "Error response from daemon: ps: exit status 1"
	run -1 sbx top "$c" -u nosuch
	equal "$output" "Error response from daemon: ps: error: user name does not exist"
}

@test "top knows the options of ps which people use, and refuses others as ps does" {
	sbx run -d --name "$c" "$box" sleep 100000
	contains "$(sbx top "$c" aux | head -n 1 | tr -s ' ')" "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND"
	contains "$(sbx top "$c" -ef | head -n 1 | tr -s ' ')" "UID PID PPID C STIME TTY TIME CMD"
	contains "$(sbx top "$c" -eo pid,args | head -n 1 | tr -s ' ')" "PID COMMAND"
	run -1 sbx top "$c" -o foo
	equal "$output" 'Error response from daemon: ps: error: unknown user-defined format specifier "foo"'
	run -1 sbx top "$c" -o comm
	equal "$output" "Error response from daemon: Couldn't find PID field in ps output"
	id=$(sbx inspect -f '{{.Id}}' "$c")
	sbx rm -f "$c"
	id=$(sbx create --name "$c" "$box" true)
	run -1 sbx top "$c"
	equal "$output" "Error response from daemon: container $id is not running"
}

@test "stats shows what a container uses" {
	sbx run -d --name "$c" -m 100m "$box" sh -c 'while :; do :; done'
	equal "$(sbx stats --no-stream "$c" | head -n 1 | sed 's/   */|/g')" \
		"CONTAINER ID|NAME|CPU %|MEM USAGE / LIMIT|MEM %|NET I/O|BLOCK I/O|PIDS"
	equal "$(sbx stats --no-stream --format '{{.Name}} {{index (split .MemUsage " / ") 1}} {{.PIDs}}' "$c")" "$c 100MiB 1"
	eventually eval '[ "$(sbx stats --no-stream --format "{{.CPUPerc}}" "$c")" != 0.00% ]'
	sbx pause "$c"
	equal "$(sbx stats --no-stream --format '{{.CPUPerc}}' "$c")" "0.00%"
}

@test "stats of a stopped one is zero, of none an error" {
	sbx create --name "$c" "$box" true
	equal "$(sbx stats --no-stream --format '{{.CPUPerc}} {{.MemUsage}} {{.PIDs}}' "$c")" "0.00% 0B / 0B 0"
	contains "$(sbx stats --no-stream -a --format '{{.Name}}')" "$c"
	lacks "$(sbx stats --no-stream --format '{{.Name}}')" "$c"
	run -1 sbx stats --no-stream nosuch
	equal "$output" "Error response from daemon: No such container: nosuch"
}

@test "stats without --no-stream goes on, on a screen that it clears" {
	sbx run -d --name "$c" "$box" sleep 100000
	behind stats --format '{{.Name}}' "$c"
	line
	equal "$REPLY" $'\033[H'"$c"$'\033[K'
	line
	equal "$REPLY" $'\033[J\033[H'"$c"$'\033[K'
}

@test "port tells what was published, and that nothing was" {
	sbx run -d --name "$c" --network none "$box" sleep 100000
	equal "$(sbx port "$c")" ""
	run -1 sbx port "$c" 80
	equal "$output" "Error: No public port '80' published for $c"
	run -1 sbx port "$c" foo
	equal "$output" 'Error: invalid port (foo): strconv.ParseUint: parsing "foo": invalid syntax'
	run -1 sbx port nosuch
	equal "$output" "Error response from daemon: No such container: nosuch"
}

@test "top asks the machine's ps for the options that are only known there, about the container alone" {
	command -v ps >/dev/null || lacking "ps"
	nap=$(a_nap)
	sbx run -d --name "$c" -u 4321 "$box" sleep "$nap"
	eventually sleeps "$nap" 1
	equal "$(sbx top "$c" -eF | awk 'NR == 1 { print $1, $2, $5, $7 } NR > 1 { print $1, $NF }')" "UID PID SZ PSR
4321 $nap"
	equal "$(sbx top "$c" axj | wc -l)" 2
	run -1 sbx top "$c" --nosuch
	contains "$output" "Error response from daemon: ps: "
	run -1 sbx top "$c" -o pid,comm=PID
	equal "$output" 'Error response from daemon: specifying "pid,comm=PID" is not allowed'
}
