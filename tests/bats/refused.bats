load lib

@test "commands which there are not here say so in one sentence, whatever their options" {
	for words in "search --limit 3 x" "build -t x -" "build --push -o x -" "image build -" \
		"swarm init" "service create --name x y" "node ls" "stack deploy -c f x" "secret ls" "config ls" \
		"plugin install x" "volume update x" "volume update --availability pause x" "system dial-stdio" \
		"manifest inspect x" "trust sign x" "checkpoint ls x" "context create xx" "builder build -"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr sbx $words
		equal "$output" ""
		equal "${#stderr_lines[@]}" 1
		contains "$stderr" sbx
	done
}

@test "there are no plugins, and who asks for them hears that" {
	equal "$(sbx plugin ls --no-trunc)" "ID        NAME      DESCRIPTION   ENABLED"
	equal "$(sbx plugin ls -q --filter enabled=true)" ""
	equal "$(sbx plugin ls --format '{{.Name}}')" ""
	run -1 --separate-stderr sbx plugin inspect --format '{{.Id}}' "p$c"
	equal "$output" ""
	equal "$stderr" "Error response from daemon: plugin \"p$c\" not found"
	run -1 --separate-stderr sbx plugin rm --force "p$c" "q$c"
	equal "$stderr" "Error response from daemon: plugin \"p$c\" not found
Error response from daemon: plugin \"q$c\" not found"
}

@test "of registries what docker's client says by itself is said, and then that none is asked" {
	for words in "login -u a -p b" "login localhost:1 -p b -u a" "push $c:1" "image push -q $c:1" "push -a $c"; do
		sbx import "$box" "$c:1" >import
		# shellcheck disable=SC2086
		run -1 --separate-stderr sbx $words
		contains "${stderr_lines[-1]}" "sbx has no client for registries yet: "
	done
	sbx rmi "$c:1"
	run -1 --separate-stderr sbx login -u a
	equal "$stderr" "Error: Cannot perform an interactive login from a non TTY device"
	run -1 --separate-stderr sbx push -q "$c:1"
	equal "$stderr" "An image does not exist locally with the tag: $c"
	equal "$(sbx logout https://a.example/v1)" "Removing login credentials for a.example"
}

@test "they are not offered by help, and not unknown" {
	lacks "$(sbx --help)" "swarm"
	run -1 sbx nosuch
	contains "$output" "unknown command"
	run -1 sbx swarm init
	lacks "$output" "unknown command"
}

@test "history tells the steps of an image, newest first" {
	mkdir root && echo "$c" >root/f
	id=$(tar -C root -c . | sbx import -m "by hand" -c "LABEL h$c=1" - "hist$c")
	equal "$(sbx history "hist$c" | head -n 1 | tr -s ' ')" "IMAGE CREATED CREATED BY SIZE COMMENT"
	equal "$(sbx history --format '{{.ID}} {{.Comment}}' "hist$c" | head -n 1)" "${id:7:12} by hand"
	equal "$(sbx history -q --no-trunc "hist$c" | head -n 1)" "$id"
	run -1 sbx history nosuch
	equal "$output" "Error response from daemon: No such image: nosuch:latest"
	sbx rmi "hist$c"
}

@test "what is no address is refused where one is asked for" {
	run -125 sbx run --rm --network none --link-local-ip 1.2.3.4/24 "$box" true
	equal "${lines[0]}" "docker: Error response from daemon: invalid link-local IP address: 1.2.3.4/24"
	run -125 sbx run --rm --network none --link-local-ip ::1 --link-local-ip :: "$box" true
	equal "${lines[0]}" "docker: Error response from daemon: invalid link-local IP address: ::"
	sbx run --rm --network none --link-local-ip 169.254.1.1 "$box" true
}
