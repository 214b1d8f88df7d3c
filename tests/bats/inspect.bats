load lib

look() {
	sbx inspect -f "$1" "$c"
}

@test "inspect is a list of objects with docker's types" {
	sbx run -d --name "$c" -e A=1 -l k=v -w /tmp -m 64m -v /etc:/host:ro "$box" sleep 100000 >id
	sbx inspect "$c" >out
	python3 - "$(cat id)" <<-'PY'
		import json, sys
		(o,) = json.load(open("out"))
		assert o["Id"] == sys.argv[1]
		assert o["Name"].startswith("/t") and o["Path"] == "sleep" and o["Args"] == ["100000"]
		s = o["State"]
		assert s["Status"] == "running" and s["Running"] is True and s["Paused"] is False
		assert isinstance(s["Pid"], int) and s["Pid"] > 1 and s["ExitCode"] == 0
		assert s["OOMKilled"] is False and s["Error"] == "" and s["StartedAt"].endswith("Z")
		assert s["FinishedAt"] == "0001-01-01T00:00:00Z"
		c = o["Config"]
		assert "A=1" in c["Env"] and c["Labels"]["k"] == "v" and c["WorkingDir"] == "/tmp"
		assert c["Cmd"] == ["sleep", "100000"] and c["Tty"] is False
		h = o["HostConfig"]
		assert h["Memory"] == 64 << 20 and h["AutoRemove"] is False and h["Binds"] == ["/etc:/host:ro"]
		(m,) = o["Mounts"]
		assert m["Type"] == "bind" and m["Source"] == "/etc" and m["Destination"] == "/host"
		assert m["RW"] is False
		assert isinstance(o["NetworkSettings"]["Networks"], dict) and o["RestartCount"] == 0
	PY
}

@test "lists that docker's client sends empty are empty, others that nobody gave are null" {
	sbx create --name "$c" "$box" true >/dev/null
	sbx inspect "$c" >out
	python3 - <<-'PY'
		import json
		h = json.load(open("out"))[0]["HostConfig"]
		assert {k for k in h if h[k] == []} == {"Dns", "DnsOptions", "DnsSearch", "Devices", "Ulimits", "BlkioWeightDevice",
		    "BlkioDeviceReadBps", "BlkioDeviceWriteBps", "BlkioDeviceReadIOps", "BlkioDeviceWriteIOps"}, h
		assert {k for k in h if h[k] is None} >= {"Binds", "VolumesFrom", "CapAdd", "CapDrop", "ExtraHosts", "GroupAdd",
		    "Links", "SecurityOpt", "DeviceCgroupRules", "DeviceRequests"}, h
		assert h["PortBindings"] == {}
	PY
}

@test "State.Pid is a process of the caller's to see and to signal" {
	sbx run -d --name "$c" "$box" sleep 100000 >/dev/null
	pid=$(look '{{.State.Pid}}')
	equal "$(tr '\0' ' ' <"/proc/$pid/cmdline")" "sleep 100000 "
	kill -9 "$pid"
	equal "$(sbx wait "$c")" 137
}

@test "times are set as it goes" {
	sbx create --name "$c" "$box" true >/dev/null
	equal "$(look '{{.State.StartedAt}}')" "0001-01-01T00:00:00Z"
	sbx start -a "$c"
	[[ $(look '{{.State.StartedAt}} {{.State.FinishedAt}}') =~ ^20.*Z\ 20.*Z$ ]]
	[[ $(look '{{.Created}}') < $(look '{{.State.StartedAt}}') ]]
	[[ $(look '{{.State.StartedAt}}') < $(look '{{.State.FinishedAt}}') ]]
}

@test "templates: fields, json, range, index, join, if" {
	sbx create --name "$c" -e A=1 -l k=v "$box" echo a b >/dev/null
	equal "$(look '{{json .Config.Cmd}}')" '["echo","a","b"]'
	equal "$(look '{{join .Config.Cmd "-"}}')" echo-a-b
	equal "$(look '{{index .Config.Labels "k"}}')" v
	equal "$(look '{{range .Args}}<{{.}}>{{end}}')" '<a><b>'
	equal "$(look '{{if .State.Running}}yes{{else}}no{{end}}')" no
	equal "$(look '{{len .Config.Cmd}} {{upper .Config.WorkingDir}}')" "3 "
}

@test "a template that makes no sense is told" {
	sbx create --name "$c" "$box" true >/dev/null
	run -1 --separate-stderr look '{{.No.Such}}'
	contains "$stderr" "emplat"
	run --separate-stderr look '{{.State'
	[ "$status" -ne 0 ]
	contains "$stderr" "template"
}

# Like Go prints structs: embedded ones in braces, pointers in others as addresses, and zero values, too.
@test "a template shows whole structs, with what their JSON leaves out" {
	sbx create --name "$c" --network none --tmpfs /t --health-cmd true "$box" true >/dev/null
	shape() { sbx "$1" inspect -f "$2" "$c" | sed -E 's/0xc[0-9a-f]+/ADDRESS/g'; }
	equal "$(shape container '{{.NetworkSettings}}')" \
		'{{   map[] false  0 [] []} {   0  0  } map[none:ADDRESS]}'
	contains "$(shape container '{{printf "%+v" .HostConfig}}')" 'ConsoleSize:[0 0] Annotations:map[] CapAdd:[]'
	contains "$(shape container '{{printf "%+v" .HostConfig}}')" 'DNS:[] DNSOptions:[] DNSSearch:[]'
	contains "$(shape container '{{printf "%+v" .HostConfig}}')" 'StorageOpt:map[] Tmpfs:map[/t:] UTSMode:'
	contains "$(shape container '{{printf "%+v" .HostConfig}}')" 'Resources:{CPUShares:0 Memory:0 NanoCPUs:0'
	contains "$(shape container '{{printf "%+v" .HostConfig}}')" 'IOMaximumBandwidth:0} Mounts:[]'
	contains "$(shape container '{{printf "%+v" .Config}}')" 'Healthcheck:ADDRESS ArgsEscaped:false'
	contains "$(shape container '{{printf "%+v" .Config}}')" 'StopTimeout:<nil> Shell:[]}'
	contains "$(shape container '{{printf "%#v" .Config}}')" 'Healthcheck:(*v1.HealthcheckConfig)(ADDRESS)'
	equal "$(shape container '{{printf "%+v" .}}')" \
		'{ContainerJSONBase:ADDRESS Mounts:[] Config:ADDRESS NetworkSettings:ADDRESS ImageManifestDescriptor:<nil>}'
	sbx volume create "$c" >/dev/null
	contains "$(shape volume '{{printf "%+v" .}}')" '{ClusterVolume:<nil> CreatedAt:'
	contains "$(shape volume '{{printf "%+v" .}}')" ' Scope:local Status:map[] UsageData:<nil>}'
	sbx volume rm "$c" >/dev/null
}

@test "a template goes round a number with one variable, and not one of a map" {
	sbx create --name "$c" --restart on-failure:2 "$box" true >/dev/null
	equal "$(look '{{range $i := .HostConfig.RestartPolicy.MaximumRetryCount}}{{$i}};{{end}}')" "0;1;"
	run -1 --separate-stderr look '{{range $i, $v := .RestartCount}}{{end}}'
	contains "$stderr" "range can't iterate over 0"
}

@test "containers and images are told apart by --type, a missing one is 1" {
	sbx create --name "$c" "$box" true >/dev/null
	sbx inspect --type container "$c" >/dev/null
	run -1 --separate-stderr sbx inspect --type image "$c"
	contains "$stderr" "No such image: $c"
	run -1 --separate-stderr sbx inspect "$c-none"
	equal "$output" "[]"
	contains "$stderr" "No such object: $c-none"
}

@test "a dead command's reason stays" {
	run -127 sbx run --name "$c" "$box" no-such-command
	contains "$(look '{{.State.Error}}')" "no-such-command"
}

@test "what is not UTF-8 is shown as docker shows it, and lost nowhere" {
	bad=$'\xff' good=$'\xef\xbf\xbd'
	equal "$(DOCKER_HOST=unix:///tmp/$bad sbx context inspect -f '{{.Endpoints.docker.Host}}')" "unix:///tmp/$good"
	run -1 sbx network create -d "$bad" "n$c"
	equal "$output" "Error response from daemon: could not find plugin $good in v1 plugin registry: plugin not found"
	sbx create --name "$c" --tmpfs "/a$bad" --device-read-bps "/dev/$bad:1mb" "$box" cat /proc/mounts
	contains "$(sbx start -a "$c")" " /a$good tmpfs "
	equal "$(sbx inspect -f '{{range .HostConfig.BlkioDeviceReadBps}}{{.Path}}{{end}}' "$c")" "/dev/$good"
	run -125 sbx run --gpus "device=0,\"capabilities=$bad\"" "$box" true
	contains "$output" "with capabilities: [[$good gpu]]"

	export SBX_ROOT=$PWD/$bad
	sbx volume create "v$c"
	equal "$(sbx volume inspect -f '{{.Mountpoint}}' "v$c")" "$PWD/$good/volumes/v$c/_data"
	contains "$(sbx system df -v)" "v$c "
	id=$(sbx create "$box" true)
	contains "$(sbx inspect "$id")" "\"Id\": \"$id\""
	sbx rm "$id"
	sbx volume rm "v$c"
}
