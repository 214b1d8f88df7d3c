load lib

# plugin DIR: makes a plugin that prints how it was called, and checks the server's socket.
plugin() {
	mkdir -p "$1"
	cat >"$1/docker-compose" <<-'END'
		#!/bin/sh
		echo "as ${DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND:-itself}:"
		printf '[%s]\n' "$@"
		test -S "${DOCKER_HOST#unix://}" || exit 9
		exit 7
	END
	chmod +x "$1/docker-compose"
}

@test "compose runs docker's plugin with a server of its own, all words as they are, and ends as it does" {
	plugin "$PWD/config/cli-plugins"
	DOCKER_CONFIG=$PWD/config run -7 sbx compose -f 'a b' up --help -d
	equal "$output" $'as docker:\n[compose]\n[-f]\n[a b]\n[up]\n[--help]\n[-d]'
	plugin "$PWD/home/.docker/cli-plugins"
	HOME=$PWD/home run -7 sbx compose
	equal "$output" $'as docker:\n[compose]'
}

@test "compose finds the plugin in the directory of --config, and hands the option on" {
	plugin "$PWD/other/cli-plugins"
	DOCKER_CONFIG=$PWD/none run -7 sbx --config "$PWD/other" compose ls
	equal "$output" $'as docker:\n[--config]\n'"[$PWD/other]"$'\n[compose]\n[ls]'
}

@test "where there is no plugin compose runs docker-compose, and says so where there is neither" {
	plugin "$PWD/bin"
	for dir in /usr/local/lib /usr/local/libexec /usr/lib /usr/libexec; do
		[ ! -x "$dir/docker/cli-plugins/docker-compose" ] || return 0 # the machine's own is found first
	done
	HOME=$PWD PATH=$PWD/bin:/usr/bin:/bin run -7 sbx compose ps -q
	equal "$output" $'as itself:\n[ps]\n[-q]'
	HOME=$PWD run -1 --separate-stderr env PATH=/nowhere "$SBX" compose ps
	equal "$output" ""
	equal "${#stderr_lines[@]}" 1
	contains "$stderr" "install it"
	HOME=$PWD run -1 --separate-stderr env PATH=/nowhere "$SBX" compose --help
	contains "$output" "Usage:  docker compose"
	contains "$stderr" "install it"
}

@test "a signal from the terminal reaches the command of serve once" {
	cat >ask.py <<-'END'
		import os, signal, socket, sys
		hits = []
		signal.signal(signal.SIGINT, lambda *_: hits.append(1))
		print("ready", flush=True)
		while not hits:
		    signal.pause()
		for _ in range(3):  # when the server answers, it has handled all signals sent before
		    s = socket.socket(socket.AF_UNIX)
		    s.connect(os.environ["DOCKER_HOST"][len("unix://"):])
		    s.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
		    while s.recv(4096):
		        pass
		print("heard", len(hits), flush=True)
		sys.exit(3)
	END
	run -3 python3 "$BATS_TEST_DIRNAME/terminal.py" expect:ready 'send:\x03' "expect:heard 1" -- \
		"$SBX" serve -- python3 ask.py
}
