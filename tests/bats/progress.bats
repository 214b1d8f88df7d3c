#!/usr/bin/env bats
# The progress bar: shown on a terminal only, if something takes long, and gone at the end

load lib

setup_file() {
	own_store
	sbx import "$box" box:1 >/dev/null
	head -c 3000000 /dev/urandom >"$BATS_FILE_TMPDIR/large" # more than a pipe holds
	for i in 1 2; do # one for each client: a container that does not run is locked while it is read
		sbx create --name "still-$i" --network none box:1 true >/dev/null
		sbx cp "$BATS_FILE_TMPDIR/large" "still-$i:/large"
	done
	sbx save -o "$BATS_FILE_TMPDIR/box.tar" box:1
	tar -C "$BATS_FILE_TMPDIR" -cf "$BATS_FILE_TMPDIR/large.tar" large
}

# Each command runs twice, with pipes that are blocked until something is written to go.N: 1 on a terminal, 2 not.
setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
	mkfifo go.1 go.2 data.1 data.2
}

# fed FILE: feeds it to both pipes, which block in the middle
fed() {
	for i in 1 2; do
		{
			head -c 1000 "$1"
			read -r _ <"go.$i"
			tail -c +1001 "$1"
		} >"data.$i" 3>&- &
		background+=($!)
	done
}

# taken: makes the readers of both pipes stop in the middle
taken() {
	for i in 1 2; do
		{
			read -r _ <"go.$i"
			cat >"got.$i"
		} <"data.$i" 3>&- &
		background+=($!)
	done
}

# shows BAR COMMAND: runs the shell command with @ replaced by 1 and 2. Number 1, on a terminal, shows a bar until it can go on;
# number 2, started earlier, prints nothing meanwhile.
shows() {
	sh -c "${2//@/2}" >out.2 2>err.2 3>&- &
	silent=$!
	background+=("$silent")
	python3 "$BATS_TEST_DIRNAME/terminal.py" --size 24x100 "expect:$1" "run:echo >go.1" -- sh -c "${2//@/1}" >screen
	echo >go.2
	wait "$silent"
	lacks "$(cat err.2)" "$1"
	# only what follows the last clearing of the line is left
	grep -q $'\r\033\\[K' screen
	lacks "$(sed $'s/.*\r\033\\[K//' screen)" "$1"
	equal "$(pgrep -cx -s 0 sbx-progress || true)" 0
}

@test "import shows a bar" {
	fed "$BATS_FILE_TMPDIR/large.tar"
	shows Importing "'$SBX' import - $c:@ <data.@"
	equal "$(tail -n 1 screen | sed $'s/.*\033\\[K//')" "$(sbx image inspect -f '{{.Id}}' "$c:1")"
}

@test "load shows a bar, and none with -q" {
	fed "$BATS_FILE_TMPDIR/box.tar"
	shows Loading "'$SBX' load <data.@"
	contains "$(cat screen)" "Loaded image: box:1"
	fed "$BATS_FILE_TMPDIR/box.tar"
	python3 "$BATS_TEST_DIRNAME/terminal.py" -- sh -c "'$SBX' load -q <data.2" >quiet 3>&- &
	background+=($!)
	silent=$!
	python3 "$BATS_TEST_DIRNAME/terminal.py" expect:Loading "run:echo >go.1" -- sh -c "'$SBX' load <data.1" >/dev/null
	echo >go.2
	wait "$silent"
	lacks "$(cat quiet)" Loading
}

@test "save shows a bar" {
	taken
	shows Saving "'$SBX' save box:1 >data.@"
	eventually cmp got.1 "$BATS_FILE_TMPDIR/box.tar"
	eventually cmp got.2 "$BATS_FILE_TMPDIR/box.tar"
}

@test "export shows a bar" {
	taken
	shows Exporting "'$SBX' export still-@ >data.@"
	eventually tar -tf got.1 >/dev/null
}

@test "cp shows a bar, both ways" {
	taken
	shows Copying "'$SBX' cp still-@:/large - >data.@"
	eventually cmp got.1 got.2
	fed "$BATS_FILE_TMPDIR/large.tar"
	sbx create --name "$c-1" --network none box:1 true >/dev/null
	sbx create --name "$c-2" --network none box:1 true >/dev/null
	shows Copying "'$SBX' cp - $c-@:/ <data.@"
	sbx cp "$c-1:/large" - | tar -xO | cmp - "$BATS_FILE_TMPDIR/large"
	sbx rm "$c-1" "$c-2" >/dev/null
}

# Nothing that commit reads can be blocked, but the program that makes the layer can.
@test "commit shows a bar" {
	mkdir bin
	cp "$SBX" bin/sbx
	cat >bin/sbx-archive <<-END
		#!/bin/sh
		read -r _ <"\$GO"
		exec '$(dirname "$(readlink -f "$SBX")")/sbx-archive' "\$@"
	END
	chmod +x bin/sbx-archive
	shows Committing "GO=$PWD/go.@ bin/sbx commit still-@ $c:@"
	sbx rmi "$c:1" "$c:2" >/dev/null
}

# Whether a process of this store draws a bar; one that has ended has no environment.
# shellcheck disable=SC2016 # for the shells that it is given to
drawn='cd /proc && grep -qszxF "SBX_ROOT=$SBX_ROOT" $(pgrep -x sbx-progress | sed "s,$,/environ,") /dev/null'

@test "who kills the client leaves no bar behind" {
	fed "$BATS_FILE_TMPDIR/large.tar"
	run -137 python3 "$BATS_TEST_DIRNAME/terminal.py" expect:Importing "run:$drawn" kill:KILL \
		-- sh -c "exec '$SBX' import - <data.1"
	eventually eval "! ($drawn)"
}
