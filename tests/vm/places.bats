# $PLACE is on a file system without owners, links and attributes, as on a memory stick: images, code and results may lie
# there, but not a store, of which there is an error.

load ../bats/lib

@test "an image file, a directory of code and an environment file lie there; the code writes its results there" {
	cp "$box" "$PLACE/b.sqsh"
	mkdir -p "$PLACE/code"
	echo 'cat /work/in >/work/out; echo "$WORD"' >"$PLACE/code/run.sh"
	echo data >"$PLACE/code/in"
	echo WORD=said >"$PLACE/env"
	run -0 --separate-stderr sbx run --rm --cidfile "$PLACE/cid" --env-file "$PLACE/env" -v "$PLACE/code:/work" -w /work \
		--result "$PLACE/result" "$PLACE/b.sqsh" sh run.sh
	equal "$output" said
	equal "$stderr" ""
	equal "$(cat "$PLACE/code/out")" data
	equal "$(wc -c <"$PLACE/cid")" 64
	contains "$(cat "$PLACE/result")" '"reason":"exited"'
}

@test "files are copied and exported to it" {
	sbx create --name "$c" "$box" true
	sbx cp "$c:/bin/busybox" "$PLACE/busybox"
	sbx export -o "$PLACE/export.tar" "$c"
	tar -tf "$PLACE/export.tar" | grep -qx usr/bin/busybox
	sbx cp "$PLACE/busybox" "$c:/copy"
	sbx rm "$c"
}

@test "a store there: a sentence that names it and SBX_ROOT, and no container" {
	export SBX_ROOT=$PLACE/d
	run -125 --separate-stderr sbx run --rm "$box" true
	contains "$stderr" "$PLACE/d (SBX_ROOT can name another place)"
	equal "$(grep -vc -e '^$' -e '^Run ' <<<"$stderr")" 1
	equal "$(sbx ps -aq)" ""
	equal "$(ls -A "$SBX_ROOT/containers")" ""
}

@test "a runtime directory there: it works, or a sentence names it" {
	SBX_RUNTIME=$PLACE/r run --separate-stderr sbx run --rm "$box" echo works
	[ "$status $output" = "0 works" ] || contains "$stderr" "$PLACE/r"
	equal "$(sbx ps -aq)" ""
}
