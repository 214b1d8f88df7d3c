load lib

@test "ps shows what runs, ps -a everything" {
	sbx run -d --name "$c-up" "$box" sleep 100000 >/dev/null
	sbx create --name "$c-new" "$box" true >/dev/null
	sbx run --name "$c-end" "$box" sh -c 'exit 0'
	equal "$(sbx ps --filter "name=^/?$c-" --format '{{.Names}}')" "$c-up"
	equal "$(sbx ps -a --filter "name=^/?$c-" --format '{{.Names}} {{.State}}' | sort)" \
		"$c-end exited"$'\n'"$c-new created"$'\n'"$c-up running"
}

@test "the table has docker's columns" {
	run -0 sbx ps
	[[ ${lines[0]} =~ ^"CONTAINER ID"\ +IMAGE\ +COMMAND\ +CREATED\ +STATUS\ +PORTS\ +NAMES$ ]]
	sbx run -d --name "$c" "$box" sleep 100000 >id
	run -0 sbx ps --filter "name=^/?$c\$"
	[[ ${lines[1]} =~ ^"$(head -c 12 id)"\ .*\"sleep\ 100000\".*\ Up\ .*\ "$c"$ ]]
}

@test "-q is ids alone, --no-trunc whole ones" {
	id=$(sbx create --name "$c" "$box" true)
	equal "$(sbx ps -aq --filter "name=^/?$c\$")" "${id:0:12}"
	equal "$(sbx ps -aq --no-trunc --filter "name=^/?$c\$")" "$id"
}

@test "-l and -n show the newest" {
	for i in 1 2 3; do
		sbx create --name "$c-$i" --label "of=$c" "$box" true >/dev/null
	done
	equal "$(sbx ps -a --filter "label=of=$c" -n 2 --format '{{.Names}}')" "$c-3"$'\n'"$c-2"
}

@test "filters: label, status, exited, id, ancestor" {
	id=$(sbx create --name "$c-1" -l "k=$c" "$box" true)
	run -3 sbx run --name "$c-2" -l "k=$c" "$box" sh -c 'exit 3'
	equal "$(sbx ps -aq --no-trunc --filter "label=k=$c" --filter status=created)" "$id"
	equal "$(sbx ps -a --filter "label=k=$c" --filter exited=3 --format '{{.Names}}')" "$c-2"
	equal "$(sbx ps -aq --filter "label=k=$c" --filter exited=4294967299)" ""
	equal "$(sbx ps -a --filter "id=$id" --format '{{.Names}}')" "$c-1"
	equal "$(sbx ps -a --filter "label=k=$c" --filter status=running -q)" ""
}

@test "an unknown filter is told" {
	run -1 --separate-stderr sbx ps --filter nonsense=1
	contains "$stderr" "nvalid filter 'nonsense'"
	run -1 --separate-stderr sbx ps --filter publish=80-
	equal "$stderr" 'Error response from daemon: error while looking up for publish 80-: strconv.ParseUint: parsing "": invalid syntax'
}

@test "--format json and templates" {
	sbx create --name "$c" -l a=b "$box" true >/dev/null
	sbx ps -a --filter "name=^/?$c\$" --format json >out
	equal "$(python3 -c 'import json; print(json.loads(open("out").read())["Names"])')" "$c"
	equal "$(sbx ps -a --filter "name=^/?$c\$" --format '{{.Label "a"}}|{{.Status}}')" "b|Created"
	equal "$(sbx ps -a --filter "name=^/?$c\$" --format 'table {{.Names}}\t{{.State}}' | head -n 1 | tr -s ' ')" "NAMES STATE"
}

@test "mounts are shown, also of a container whose state does not tell that it has none" {
	mkdir dir
	sbx create --name "$c-with" -l "k=$c" -v "$c-v:/x" -v "$PWD/dir:/y" "$box" true >/dev/null
	id=$(sbx create --name "$c-bare" -l "k=$c" "$box" true)
	columns() {
		sbx ps -a --no-trunc --filter "label=k=$c" --format '{{.Names}} {{.Mounts}} {{.LocalVolumes}}'
	}
	equal "$(columns)" "$c-bare  0"$'\n'"$c-with $c-v,$PWD/dir 1"
	equal "$(sbx ps -a --filter "volume=$c-v" --format '{{.Names}}')" "$c-with"
	equal "$(sbx ps -a --filter "volume=/y" --format '{{.Names}}')" "$c-with"
	grep -q '^mountless 1$' "$SBX_ROOT/containers/$id/state"
	sed -i '/^mountless/d' "$SBX_ROOT/containers/$id/state"
	equal "$(columns)" "$c-bare  0"$'\n'"$c-with $c-v,$PWD/dir 1"
	sbx rm -v "$c-with" "$c-bare" >/dev/null
	sbx volume rm "$c-v" >/dev/null
}

@test "the status tells how a command ended" {
	run -4 sbx run --name "$c" "$box" sh -c 'exit 4'
	[[ $(sbx ps -a --filter "name=^/?$c\$" --format '{{.Status}}') =~ ^"Exited (4) "(Less than a second|[0-9]+ seconds?)" ago"$ ]]
}

@test "a container whose supervisor was killed is not shown as running" {
	nap=$(a_nap)
	sbx run -d --name "$c" "$box" sleep "$nap" >/dev/null
	eventually sleeps "$nap"
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$pid/status")"
	eventually eval '[ -z "$(sbx ps -q --filter "name=^/?$c\$")" ]'
	eventually sleeps "$nap" 0
	equal "$(sbx inspect -f '{{.State.Status}} {{.State.ExitCode}}' "$c")" "exited 137"
	sbx start "$c"
	running "$c"
}
