load lib

# The actions on the container $c so far, on one line.
told() {
	past --filter "container=$c" --format '{{.Action}}' | paste -sd ' '
}

# --until as a duration would be cut to whole seconds, and the last events would be missing.
past() {
	sbx events --since 1h --until "$(date +%s.%N)" "$@"
}

@test "the life of a container is told in docker's words" {
	sbx run --name "$c" "$box" sh -c 'exit 3' || true
	sbx rm "$c"
	equal "$(told)" "create attach start die destroy"
	equal "$(past --filter "container=$c" --filter event=die \
		--format '{{.Actor.Attributes.exitCode}}')" 3
}

@test "an exec, signals, pauses, a new name and a new start are told" {
	sbx run -d --name "$c" "$box" sleep 100000
	sbx exec "$c" true
	sbx pause "$c"
	sbx unpause "$c"
	sbx restart -t 0 "$c"
	sbx rename "$c" "$c-new"
	sbx rm -f "$c-new"
	equal "$(told | sed "s/: true  / /g")" \
		"create start exec_create exec_start exec_die pause unpause kill kill die stop start restart rename kill die destroy"
}

@test "what was copied, looked at, resized, left and committed is told" {
	sbx import "$box" "box$c" >/dev/null
	equal "$(past --filter "image=box$c" --format '{{.Action}} {{.Actor.Attributes.name}}')" "tag box$c:latest"
	id=$(sbx image inspect -f '{{.Id}}' "box$c")
	contains "$(past --filter type=image --filter event=import --format '{{.Actor.ID}} {{.Actor.Attributes.name}}')" "$id $id"
	sbx run -dit --name "$c" "box$c" cat >/dev/null
	echo x >file
	sbx cp file "$c:/tmp/file"
	sbx cp "$c:/tmp/file" out
	sbx top "$c" >/dev/null
	run -127 sbx exec "$c" nosuch
	sbx commit -m why "$c" "img$c:v" >/dev/null
	run -1 python3 "$BATS_TEST_DIRNAME/terminal.py" expect:ready raw "send:\x10\x11" -- \
		"$SBX" exec -it "$c" sh -c 'echo ready; exec cat'
	sbx rm -f "$c"
	sbx rmi "img$c:v"
	equal "$(told)" "create start extract-to-dir archive-path top exec_create: nosuch  exec_start: nosuch  \
pause commit unpause exec_create: sh -c echo ready; exec cat exec_start: sh -c echo ready; exec cat exec_detach kill die destroy"
	equal "$(past --filter "container=$c" --filter event=commit --format \
		'{{.Actor.Attributes.comment}} {{.Actor.Attributes.imageRef}}')" "why img$c:v"
	sbx create --name "$c" "$box" true
	sbx rmi "$(sbx commit "$c")"
	contains "$(past --filter "container=$c" --filter event=commit --format json)" '"imageRef":""'
	sbx rm "$c"
}

@test "what is told of an image has its labels" {
	sbx import -c 'LABEL made.by=us' "$box" "box$c" >/dev/null
	sbx tag "box$c" "box$c:two"
	sbx rmi "box$c:two"
	equal "$(past --filter "label=made.by=us" --filter type=image --format '{{.Action}} {{index .Actor.Attributes "made.by"}}' |
		paste -sd ' ')" "tag us import us tag us untag us"
}

@test "an until in the first second of all is one" {
	sbx create --name "$c" "$box" true
	equal "$(sbx events --since 0.5 --until 0.6)" ""
	sbx rm "$c"
}

deleted_images() {
	past --filter type=image --filter event=delete --format '{{.Actor.ID}} {{.Actor.Attributes.name}}'
}

@test "what prune takes is told, each image once and its layers not, and how many bytes it was" {
	before=$(deleted_images | wc -l)
	for text in one two; do
		echo "$text" >file
		tar cf - file | sbx import -c "LABEL p$c=1" - "img$c" >>ids
	done
	sbx create --label "p$c=1" --name "$c" "img$c" x
	for kind in container image volume network; do
		sbx "$kind" prune -f --filter "label=p$c" >/dev/null
		run -0 past --filter "type=$kind" --filter event=prune \
			--format '{{.Action}}{{.Actor.ID}}{{.Actor.Attributes.reclaimed}}'
		equal "$(echo "$output" | tr -d 0-9)" prune
	done
	equal "$(deleted_images | tail -n "+$((before + 1))")" "$(sed -n 's/.*/& &/; 1p' ids)"
	sbx rmi "img$c"
}

@test "the end of a container whose supervisor was killed is told" {
	sbx run -d --name "$c" "$box" sleep 100000
	pid=$(sbx inspect -f '{{.State.Pid}}' "$c")
	supervisor=$(cut -d' ' -f4 "/proc/$pid/stat")
	kill -9 "$supervisor"
	eventually ended "$c"
	equal "$(told)" "create start die"
}

@test "a client that listens hears what comes, and ends at --until" {
	behind events --filter "container=$c" --filter event=start --filter event=die \
		--format '{{.Type}} {{.Action}} {{.Actor.Attributes.name}} {{.Actor.Attributes.mine}}'
	listening() { ls -l "/proc/$client/fd" | grep -q inotify; }
	eventually listening
	sbx run --rm --name "$c" --label mine=yes "$box" true
	line
	equal "$REPLY" "container start $c yes"
	line
	equal "$REPLY" "container die $c yes"
	run -0 timeout 150 "$SBX" events --until 1s --filter "container=$c"
}

@test "filters choose by type, image, label and action" {
	sbx volume create "vol$c"
	sbx volume rm "vol$c"
	sbx run --rm --name "$c" --label "l$c=1" "$box" true
	equal "$(past --filter "volume=vol$c" --filter type=volume \
		--format '{{.Type}} {{.Action}}' | paste -sd,)" "volume create,volume destroy"
	equal "$(past --filter "label=l$c=1" --filter event=create | wc -l)" 1
	equal "$(past --filter "label=l$c=2" | wc -l)" 0
	equal "$(past --filter "image=$box" --filter "container=$c" --filter event=start | wc -l)" 1
}

@test "lines are docker's, in words and as JSON" {
	id=$(sbx create --name "$c" --label b=2 "$box" true)
	run -0 past --filter "container=$c"
	[[ $output =~ ^[0-9-]{10}T[0-9:]{8}\.[0-9]{9}Z" container create $id (b=2, image=$box, name=$c)"$ ]]
	past --filter "container=$c" --format json | python3 -c '
import json, sys
e = json.loads(sys.stdin.readline())
assert e["status"] == e["Action"] == "create" and e["id"] == e["Actor"]["ID"] and e["scope"] == "local"
assert e["time"] == e["timeNano"] // 10**9 and e["Actor"]["Attributes"]["b"] == "2"'
	run -64 sbx events --format '{{.Foo}}'
	contains "$output" "Error parsing format: template: :1:2: executing \"\" at <.Foo>"
	run -1 sbx events --since foo
	equal "$output" 'failed to parse value as time or duration: "foo"'
}

@test "the log of events is bounded, and who reads it loses nothing when it is renamed" {
	behind events --filter "container=$c" --filter event=kill --format '{{.Action}}'
	listening() { ls -l "/proc/$client/fd" | grep -q inotify; }
	eventually listening
	sbx run -d --name "$c" "$box" sh -c 'trap : USR1; while :; do sleep 1; done'
	python3 - "$SBX_ROOT/events" <<-'PY'
		import json, sys
		line = json.dumps({"Type": "daemon", "Action": "reload", "time": 1, "timeNano": 1000000000,
		    "Actor": {"ID": "x" * 200, "Attributes": {}}}) + "\n"
		with open(sys.argv[1], "a") as f:
		    while f.tell() < 1 << 20:
		        f.write(line)
	PY
	sbx kill -s USR1 "$c"
	sbx kill -s USR1 "$c"
	line && line
	equal "$REPLY" kill
	[ -s "$SBX_ROOT/events.1" ]
	[ "$(stat -c %s "$SBX_ROOT/events")" -lt 65536 ]
	contains "$(told)" "create start kill kill"
}

# Events of networks and volumes about the container $id.
around() {
	past --format '{{.Type}} {{.Action}} {{.Actor.ID}} {{json .Actor.Attributes}}' | grep "$id" |
		sed -E "s/$id/ID/; s/ [0-9a-f]{64} / NET /; s/(\"execDuration\":\")[0-9]+/\\1N/"
}

@test "a start connects networks and mounts volumes, an end takes them off" {
	id=$(sbx create --name "$c" --network none -v "$c-a:/a" -v "$c-b:/b:ro" -v /tmp:/t "$box" true)
	sbx start -a "$c"
	equal "$(around | sed '/^container create/,/attach/d')" "network connect NET {\"container\":\"ID\",\"name\":\"none\",\"type\":\"null\"}
volume mount $c-a {\"container\":\"ID\",\"destination\":\"/a\",\"driver\":\"local\",\"propagation\":\"\",\"read/write\":\"true\"}
volume mount $c-b {\"container\":\"ID\",\"destination\":\"/b\",\"driver\":\"local\",\"propagation\":\"\",\"read/write\":\"false\"}
container start ID {\"image\":\"$box\",\"name\":\"$c\"}
container die ID {\"execDuration\":\"N\",\"exitCode\":\"0\",\"image\":\"$box\",\"name\":\"$c\"}
network disconnect NET {\"container\":\"ID\",\"name\":\"none\",\"type\":\"null\"}
volume unmount $c-a {\"container\":\"ID\",\"driver\":\"local\"}
volume unmount $c-b {\"container\":\"ID\",\"driver\":\"local\"}"
	equal "$(past --filter volume="$c-a" --format '{{.Action}}' | paste -sd ' ')" "create mount unmount"
	equal "$(past --filter type=network --filter event=connect --filter network=none --format '{{.ID}}{{.Actor.Attributes.container}}' |
		grep -c "^$id")" 1
	sbx rm "$c"
	sbx volume rm "$c-a" "$c-b"
	equal "$(past --filter volume="$c-b" --format '{{.Action}}' | paste -sd ' ')" "create mount unmount destroy"
}

@test "events are told where no file can be watched" {
	cat >unwatched <<-E
		#!/bin/sh
		exec unshare -Ur sh -c 'echo 0 >/proc/sys/user/max_inotify_watches && exec "\$0" "\$@"' "$SBX" "\$@"
	E
	chmod +x unwatched
	sbx volume create "$c-1" >/dev/null
	SBX=$PWD/unwatched behind events --since 1 --filter "volume=$c-1" --filter "volume=$c-2" --format '{{.Actor.ID}}'
	line
	equal "$REPLY" "$c-1"
	sbx volume create "$c-2" >/dev/null
	line
	equal "$REPLY" "$c-2"
	sbx volume rm "$c-1" "$c-2" >/dev/null
}

@test "every network of a container is told, and none of one that shares another's" {
	sbx network create "$c-n"
	sbx run -d --name "$c" --network host "$box" sleep 100000
	id=$(sbx run -d --name "$c-2" --network "container:$c" "$box" true)
	sbx wait "$c-2"
	equal "$(around | grep -c network)" 0
	id=$(sbx run -d --name "$c-3" --network "$c-n" "$box" true)
	sbx wait "$c-3"
	eventually has_left
	equal "$(around | grep ^network)" "network connect NET {\"container\":\"ID\",\"name\":\"$c-n\",\"type\":\"bridge\"}
network disconnect NET {\"container\":\"ID\",\"name\":\"$c-n\",\"type\":\"bridge\"}"
	sbx rm -f "$c" "$c-2" "$c-3"
	sbx network rm "$c-n"
}

has_left() { around | grep -q disconnect; }

@test "a container that cannot start has events of its network and volumes all the same" {
	id=$(sbx create --name "$c" --network none -v "$c-a:/a" "$box" nosuchcommand)
	run -1 sbx start -a "$c"
	equal "$(around | grep -v '^container' | cut -d' ' -f1,2 | paste -sd ' ')" \
		"network connect volume mount network disconnect volume unmount"
	sbx rm "$c"
	sbx volume rm "$c-a"
}
