load lib

# together N ARGS...: runs N clients at once; %d in ARGS is the client's number
together() {
	local n=$1 i pid failed=0
	shift
	pids=()
	for ((i = 1; i <= n; i++)); do
		"$SBX" "${@//%d/$i}" >"out.$i" 2>"err.$i" 3>&- </dev/null &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=$((failed + 1))
	done
	cat err.* | head -n 20
	echo "$failed" >failed
}

@test "64 run --rm at once: each prints its own, none is left" {
	together 64 run --rm --name "$c-%d" "$box" echo "number %d"
	equal "$(cat failed)" 0
	for i in {1..64}; do
		equal "$(cat "out.$i")" "number $i"
	done
	equal "$(sbx ps -aq --filter "name=$c-")" ""
}

@test "30 exec at once in one container" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	together 30 exec "$c" sh -c 'seq 500; echo %d'
	equal "$(cat failed)" 0
	for i in {1..30}; do
		equal "$(wc -l <"out.$i") $(tail -n 1 "out.$i")" "501 $i"
	done
	eventually eval '[ "$(sbx exec "$c" ls /proc | grep -cE "^[0-9]+$")" -le 3 ]'
}

@test "16 creates of one name: one wins" {
	together 16 create --name "$c" "$box" echo %d
	equal "$(cat failed)" 15
	equal "$(cat out.* | wc -l)" 1
	equal "$(cat out.*)" "$(sbx inspect -f '{{.Id}}' "$c")"
	equal "$(cat err.* | grep -c 'is already in use')" 15
	equal "$(sbx ps -aq --no-trunc --filter "name=^/?$c\$")" "$(cat out.*)"
}

@test "create, start and rm of one name by many: no half things" {
	for round in 1 2 3; do
		for i in 1 2 3 4 5 6; do
			{
				sbx create --name "$c" "$box" true
				sbx start "$c"
				sbx rm -f "$c"
			} >/dev/null 2>&1 3>&- &
			background+=($!)
		done
		for pid in "${background[@]}"; do
			wait "$pid" || true
		done
		background=()
	done
	sbx rm -f "$c" >/dev/null 2>&1
	missing "$c"
	sbx create --name "$c" "$box" true >/dev/null
}

@test "20 imports of one file at once: one layer" {
	together 20 import "$box" "$c:%d"
	equal "$(cat failed)" 0
	equal "$(sbx images -q "$c" | wc -l)" 20
	equal "$(find "$SBX_ROOT/layers" -name '*.sqsh' | wc -l)" 1
}

@test "ps and inspect while containers come and go" {
	(
		for i in {1..10}; do
			sbx run --rm --name "$c-$i" "$box" true
		done
	) 3>&- &
	busy=$!
	background+=("$busy")
	while kill -0 "$busy" 2>/dev/null; do
		sbx ps -a >/dev/null
		sbx ps -aq | xargs -r "$SBX" inspect >/dev/null 2>&1 || true
	done
	wait "$busy"
}
