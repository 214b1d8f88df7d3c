load lib

@test "commands which there are not here say so in one sentence, whatever their options" {
	for words in "search --limit 3 x" "login -u a -p b" "logout" "push x" "build -t x ." "image build ." \
		"swarm init" "service create --name x y" "node ls" "stack deploy -c f x" "secret ls" "config ls" \
		"plugin ls" "manifest inspect x" "trust sign x" "checkpoint ls x" "context create x" "builder prune -f"; do
		# shellcheck disable=SC2086
		run -1 --separate-stderr sbx $words
		equal "$output" ""
		equal "${#stderr_lines[@]}" 1
		contains "$stderr" sbx
	done
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
