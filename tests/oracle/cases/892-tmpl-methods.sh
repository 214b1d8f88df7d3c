#!/bin/sh
# methods of Go's types: modes, policies, ports, durations, ulimits, modes of files
# tags: template inspect
# weight: rare
trap '$DOCKER rm -fv $N-a $N-b $N-c >/dev/null 2>&1' EXIT
$DOCKER create --name $N-a --network none --restart on-failure:3 --ulimit nofile=100:200 --health-cmd true \
  --health-interval 90s --health-timeout 1500ms -p 80:80 -p 127.0.0.1:90:99/udp --expose 7/tcp \
  --mount type=tmpfs,dst=/tt,tmpfs-mode=0700,tmpfs-size=65536 $IMAGE true >/dev/null
$DOCKER create --name $N-b --network host --ipc host --pid host --uts host --restart unless-stopped $IMAGE true >/dev/null
$DOCKER create --name $N-c --network container:$N-a --ipc container:$N-a --pid container:$N-a --restart always $IMAGE true >/dev/null
while read -r t; do
  echo "== $t"
  for c in a b c; do
    $DOCKER inspect -f "$t" $N-$c 2>&1 || echo "rc=$?"
  done | sed -E 's/[0-9a-f]{64}/ID/g; s/'$N'/NAME/g'
done <<'END'
{{.HostConfig.NetworkMode.IsHost}} {{.HostConfig.NetworkMode.IsNone}} {{.HostConfig.NetworkMode.IsPrivate}} {{.HostConfig.NetworkMode.IsContainer}} {{.HostConfig.NetworkMode.ConnectedContainer}} {{.HostConfig.NetworkMode.IsUserDefined}} {{.HostConfig.NetworkMode.UserDefined}} {{.HostConfig.NetworkMode.NetworkName}} {{.HostConfig.NetworkMode.IsDefault}} {{.HostConfig.NetworkMode.IsBridge}}
{{with .HostConfig.IpcMode}}{{.IsPrivate}} {{.IsHost}} {{.IsShareable}} {{.IsContainer}} {{.IsNone}} {{.IsEmpty}} {{.Valid}} {{.Container}}{{end}}
{{with .HostConfig.PidMode}}{{.IsPrivate}} {{.IsHost}} {{.IsContainer}} {{.Valid}} {{.Container}}{{end}}
{{with .HostConfig.UTSMode}}{{.IsPrivate}} {{.IsHost}} {{.Valid}}{{end}}
{{.HostConfig.UTSMode.IsPrivate}}
{{.HostConfig.PidMode.IsPrivate}}
{{with .HostConfig.UsernsMode}}{{.IsPrivate}} {{.IsHost}} {{.Valid}}{{end}}
{{.HostConfig.UsernsMode.IsHost}}
{{.HostConfig.Cgroup.Valid}} {{.HostConfig.Cgroup.IsContainer}} {{.HostConfig.Cgroup.Container}}
{{.HostConfig.Isolation.IsDefault}} {{.HostConfig.Isolation.IsHyperV}} {{.HostConfig.Isolation.IsProcess}} {{.HostConfig.Isolation.IsValid}}
{{.HostConfig.RestartPolicy.IsNone}} {{.HostConfig.RestartPolicy.IsAlways}} {{.HostConfig.RestartPolicy.IsOnFailure}} {{.HostConfig.RestartPolicy.IsUnlessStopped}}
{{with .HostConfig.RestartPolicy}}{{.IsNone}}{{end}}
{{$r := .HostConfig.RestartPolicy}}{{$r.IsAlways}}
{{.HostConfig.RestartPolicy.IsSame .HostConfig.RestartPolicy}}
{{.HostConfig.NetworkMode.IsHost 1}}
{{.HostConfig.NetworkMode.Nope}}
{{.HostConfig.NetworkMode.IsHost.X}}
{{printf "%T %#v" .HostConfig.NetworkMode .HostConfig.NetworkMode}}
{{range $k, $v := .NetworkSettings.Ports}}{{$k.Port}}/{{$k.Proto}}/{{$k.Int}} {{end}}
{{range $k, $v := .HostConfig.PortBindings}}{{$k}} {{$k.Port}} {{printf "%T" $k}} {{range $v}}{{.HostPort}} {{.HostIP}}{{end}} {{end}}
{{range $k, $v := .Config.ExposedPorts}}{{$k.Port}} {{$k.Proto}} {{$v}} {{end}}
{{range $k, $v := .HostConfig.PortBindings}}{{$k.Range}}{{end}}
{{range .HostConfig.Ulimits}}{{.String}} {{.}} {{.GetRlimit}}{{end}}
{{range .HostConfig.Ulimits}}{{.String}} {{.GetRlimit.Soft}} {{.GetRlimit.Type}}{{end}}
{{with .Config.Healthcheck}}{{.Interval.Seconds}} {{.Interval.Minutes}} {{.Interval.Hours}} {{.Interval.Milliseconds}} {{.Interval.Nanoseconds}} {{.Interval.Microseconds}} {{.Interval.String}} {{.Timeout}} {{.Timeout.Round .Interval}} {{.Timeout.Truncate 1000000000}} {{.Timeout.Abs}}{{end}}
{{.Config.Healthcheck.Interval.Seconds}}
{{.Config.Healthcheck.Timeout.Seconds}}
{{range .HostConfig.Mounts}}{{.Type}} {{with .TmpfsOptions}}{{.Mode}} {{.Mode.Perm}} {{.Mode.IsDir}} {{.Mode.IsRegular}} {{.Mode.String}} {{.Mode.Type}}{{end}} {{end}}
{{len .HostConfig.Ulimits}}
END
