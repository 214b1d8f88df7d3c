load lib

@test "the networks that are always there are listed and shown" {
	equal "$(sbx network ls --format '{{.Name}} {{.Driver}} {{.Scope}}' --filter type=builtin | paste -sd,)" \
		"bridge bridge local,host host local,none null local"
	equal "$(sbx network inspect -f '{{.Name}} {{.Driver}}' none host | paste -sd,)" "none null,host host"
	id=$(sbx network ls --no-trunc -q --filter name=none)
	[[ $id =~ ^[0-9a-f]{64}$ ]]
	equal "$(sbx network inspect -f '{{.Name}}' "${id:0:12}")" none
	sbx run -d --name "$c" --network none "$box" sleep 100000
	equal "$(sbx network inspect -f '{{range .Containers}}{{.Name}} {{end}}' none)" "$c "
}

@test "a network is made, used, listed and removed" {
	id=$(sbx network create --label k=v "n$c")
	[[ $id =~ ^[0-9a-f]{64}$ ]]
	equal "$(sbx network ls --filter "name=n$c" --format '{{.Name}} {{.Driver}} {{.Labels}}')" "n$c bridge k=v"
	run -1 sbx network create "n$c"
	equal "$output" "Error response from daemon: network with name n$c already exists"
	sbx run -d --name "$c" --network "n$c" "$box" sleep 100000
	equal "$(sbx exec "$c" ls /sys/class/net)" lo
	run -1 sbx network rm "n$c"
	contains "$output" "network n$c id $id has active endpoints"
	sbx rm -f "$c"
	equal "$(sbx network rm "n$c")" "n$c"
	run -125 sbx run --network "n$c" "$box" true
	contains "$output" "network n$c not found"
}

@test "no address is in two networks, as with docker" {
	taken="Error response from daemon: invalid pool request: Pool overlaps with other one on this address space"
	sbx network create --subnet 10.77.0.0/16 --subnet fd77::/64 "$c"
	for subnet in 10.77.0.0/16 10.77.5.0/24 10.0.0.0/8 fd77::/80; do
		run ! sbx network create --subnet 192.168.78.0/24 --subnet fd78::/64 --subnet "$subnet" "$c-2"
		equal "$output" "$taken"
	done
	run ! sbx network inspect "$c-2"
	sbx network create --config-only --subnet 10.77.0.0/16 "$c-settings"
	run ! sbx network create --config-from "$c-settings" "$c-2"
	equal "$output" "$taken"
	sbx network rm "$c"
	sbx network create --config-from "$c-settings" "$c-2"
	sbx network rm "$c-2" "$c-settings"
}

@test "a network that is called as another's id is not taken for it" {
	id=$(sbx network create "n$c")
	other=$(sbx network create "$id")
	equal "$(sbx network inspect -f '{{.Id}} {{.Name}}' "$id")" "$id n$c"
	sbx network rm "$id"
	equal "$(sbx network ls --no-trunc -q --filter type=custom)" "$other"
	sbx network rm "$id"
	id=$(sbx network create "n$c")
	other=$(sbx network create "${id:0:12}")
	equal "$(sbx network inspect -f '{{.Id}}' "${id:0:12}")" "$other"
	sbx network rm "${id:0:12}" "n$c"
}

@test "what cannot be done is refused in docker's words" {
	run -1 --separate-stderr sbx network rm host
	contains "$stderr" "Error response from daemon: host is a pre-defined network and cannot be removed"
	run -1 --separate-stderr sbx network create none
	equal "$stderr" "Error response from daemon: operation is not permitted on predefined none network"
	run -1 --separate-stderr sbx network inspect nosuch
	equal "$output" "[]"
	equal "$stderr" "Error response from daemon: network nosuch not found"
	sbx network rm -f nosuch
	sbx create --name "$c" --network none "$box" true
	run -1 sbx network connect host "$c"
	contains "$output" "container cannot be disconnected from host network or connected to host network"
	run -1 sbx network connect bridge "$c"
	contains "$output" "a container keeps the network that it was created with"
	run -1 sbx network connect none nosuch
	equal "$output" "Error response from daemon: No such container: nosuch"
}

@test "JSON of something else is no network, and goes by the network's name" {
	export SBX_ROOT=$PWD/store
	for text in '{}' '[]' '{"Name":[],"Id":7}' '{"Name":"n","Id":"x"}'; do
		sbx network create "n$c" >/dev/null
		file=$(find "$SBX_ROOT/networks" -type f)
		echo "$text" >"$file"
		for words in "network ls" "network inspect n$c" "run --rm --network n$c $box true"; do
			# shellcheck disable=SC2086 # several words
			run --separate-stderr sbx $words
			[ "$status" -ne 0 ]
			contains "$stderr" "${file##*/}: not the network that its name tells of"
		done
		run -0 sbx network rm "n$c"
		[ ! -e "$file" ]
	done
}

@test "a network's name that is not UTF-8 is found as it was given" {
	export SBX_ROOT=$PWD/store
	name=$'n\xff'$c
	sbx network create "$name" >/dev/null
	equal "$(sbx network inspect -f '{{.Name}}' "$name")" $'n\xef\xbf\xbd'"$c"
	run -1 sbx network create $'n\xef\xbf\xbd'"$c"
	contains "$output" "already exists"
	run -0 sbx network rm "$name"
	equal "$(find "$SBX_ROOT/networks" -type f)" ""
}

@test "a network that cannot be read is told, and hides no other one that is named" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	export SBX_ROOT=$PWD/store
	sbx network create "n$c" >/dev/null
	file=$(find "$SBX_ROOT/networks" -type f)
	chmod 000 "$file"
	for words in "network ls" "network prune -f" "network inspect n$c" "network rm n$c"; do
		# shellcheck disable=SC2086 # several words
		run -1 --separate-stderr sbx $words
		contains "$stderr" "$PWD/store"
		contains "$stderr" "${file##*/}: Permission denied"
	done
	sbx network create "other$c" >/dev/null
	equal "$(sbx network inspect -f '{{.Name}}' "other$c" none | paste -sd,)" "other$c,none"
	# nor in a list, nor if the name is another network's id
	run -1 --separate-stderr sbx network ls --format '{{.Name}}'
	equal "$(paste -sd, <<<"$output")" "bridge,host,none,other$c"
	equal "$(sbx network inspect -f '{{.Name}}' "$(sbx network inspect -f '{{.Id}}' "other$c")")" "other$c"
	chmod 600 "$file"
	: >"$file"
	run -1 --separate-stderr sbx network ls --format '{{.Name}}'
	equal "$(paste -sd, <<<"$output")" "bridge,host,none,other$c"
	contains "$stderr" "Error response from daemon: $PWD/store/networks: ${file##*/}: not JSON"
	run -1 --separate-stderr sbx network prune -f
	contains "$output" "other$c"
	contains "$stderr" "${file##*/}: not JSON"
	sbx network rm "n$c"
	equal "$(sbx network ls -q --filter type=custom)" ""
}

@test "a network is kept while a container that runs and may be on it cannot be read" {
	[ "$(id -u)" -ne 0 ] || lacking "root reads everything"
	sbx network create "n$c" >/dev/null
	id=$(sbx run -d --name "$c" --network "n$c" "$box" sleep 100000)
	chmod 000 "$SBX_ROOT/containers/$id/state"
	run -1 --separate-stderr sbx network rm "n$c"
	contains "$stderr" "nobody can say which network container ${id:0:12} is on"
	run -1 --separate-stderr sbx network prune -f
	equal "$output" ""
	contains "$stderr" "nobody can say which network container ${id:0:12} is on"
	equal "$(sbx ps --format '{{.ID}} {{.Status}}' --filter "id=$id")" "${id:0:12} Dead"
	chmod 600 "$SBX_ROOT/containers/$id/state"
	sbx rm -f "$c" >/dev/null
	sbx network rm "n$c"
}

@test "a network is kept while a container is on it whose runtime files are gone, or in another directory" {
	sbx network create "n$c" >/dev/null
	id=$(sbx run -d --name "$c" --network "n$c" "$box" sleep 100000)
	rm "$SBX_RUNTIME/c/$id."*
	for runtime in "$SBX_RUNTIME" "$PWD/other"; do
		run -1 env SBX_RUNTIME="$runtime" "$SBX" network rm "n$c"
		contains "$output" "has active endpoints"
		equal "$(SBX_RUNTIME=$runtime sbx network prune -f --filter "label!=x" 2>&1)" ""
		equal "$(SBX_RUNTIME=$runtime sbx network inspect -f '{{range .Containers}}{{.Name}}{{end}}' "n$c")" "$c"
		equal "$(SBX_RUNTIME=$runtime sbx network ls -q --filter dangling=true --filter "name=n$c")" ""
	done
	sbx stop -t 0 "$c" >/dev/null
	equal "$(sbx network ls --format '{{.Name}}' --filter dangling=true --filter "name=n$c")" "n$c"
	sbx network rm "n$c"
	SBX_RUNTIME=$PWD/other end_server
}

@test "info names the driver of each network" {
	sbx info --format '{{range .Plugins.Network}}{{println .}}{{end}}' >drivers
	sbx network ls --format '{{.Driver}}' | sort -u >used
	[ "$(grep -cxFf used drivers)" = 3 ]
}

@test "a network with long labels can be read again" {
	long=$(printf '%0100000d' 0)
	for i in {1..12}; do labels+=(--label "k$i=$long"); done
	sbx network create "${labels[@]}" "n$c"
	contains "$(sbx network ls --format '{{.Name}}')" "n$c"
	equal "$(sbx network inspect -f '{{len .Labels}}' "n$c")" 12
	equal "$(sbx network rm "n$c")" "n$c"
}
