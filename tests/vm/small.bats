# fs.mount-max leaves room for only $ROOM more mounts, or kernel.pid_max for no more processes.

load ../bats/lib

@test "run works, or says which setting leaves no room" {
	run --separate-stderr sbx run --rm -v /srv:/srv "$box" echo works
	if [ "$status" -ne 0 ]; then
		equal "$status" 125
		contains "$stderr" "$WORD"
		equal "$(grep -vc -e '^$' -e '^Run ' <<<"$stderr")" 1
	else
		equal "$output" works
		[ "$ROOM" -ge 20 ]
	fi
	equal "$(sbx ps -aq)" ""
}
