#!/bin/sh
# What docker's client makes of addresses, domains, capabilities and variables before it sends them.
# tags: create,words
# weight: rare
show() {
	id=$($DOCKER create --network none "$@" 2>"$TMP/said") || { head -n 1 "$TMP/said"; return; }
	$DOCKER inspect -f "$format" "$id"
	$DOCKER rm "$id" >/dev/null
}

format='{{json .HostConfig.Dns}}'
for word in ' 8.8.8.8 ' 2001:DB8:0:0::68 ::ffff:1.2.3.4 1:2:3:4:5:6:0:0 '[::2]' 127 ''; do
	show --dns "$word" "$IMAGE" true
done
format='{{json .HostConfig.DnsSearch}}'
for word in ' a ' '  ' 17. a.b. a-.b; do
	show --dns-search "$word" "$IMAGE" true
done
format='{{json .HostConfig.ExtraHosts}}'
for word in :=::1 a:b=::1 a=::1 'a=[::1]'; do
	show --add-host "$word" "$IMAGE" true
done
format='{{json .HostConfig.CapAdd}} {{json .HostConfig.CapDrop}}'
show --cap-add net_raw --cap-add CAP_CHOWN --cap-add CAP_NET_RAW --cap-drop mknod --cap-drop KILL "$IMAGE" true
show --cap-add ALL --cap-drop all --cap-drop kill "$IMAGE" true
format='{{range $i, $v := .Config.Env}}{{if lt $i 4}}{{println $v}}{{end}}{{end}}'
printf 'Z=1\nY=2\nY=3\n' >vars
show --env-file vars -e Z=4 "$IMAGE" true
$DOCKER run --rm --network none --env-file vars -e Z=4 "$IMAGE" env | grep -e '^[YZ]=' | sort
format='{{json .HostConfig.SecurityOpt}}'
for word in label= label no-new-privileges no-new-privileges= no-new-privileges: no-new-privileges:x=; do
	show --security-opt "$word" "$IMAGE" true
done
for word in :1 :1mb /dev/sda; do
	show --device-read-bps "$word" "$IMAGE" true
	show --blkio-weight-device "$word" "$IMAGE" true
done
