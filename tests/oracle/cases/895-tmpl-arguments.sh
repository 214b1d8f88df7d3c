#!/bin/sh
# which argument of a function is blamed, and numbers where docker's client has no types
# tags: template inspect
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER volume rm -f $N >/dev/null 2>&1' EXIT
$DOCKER volume create --label va=1 --label vb=2 $N >/dev/null
$DOCKER create --name $N --network none -l a=1 -e A=b -p 80:80 $IMAGE true x >/dev/null
while read -r t; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  sed "s/$N/NAME/g" $TMP/o $TMP/e
done <<'END'
{{index .Config.Env 1i}}
{{join .Config.Env 1}}
{{join 1 .Config.Env}}
{{join .Config.Env}}
{{join .Config.Env nil}}
{{join nil ","}}
{{join .Config.Labels ","}}
{{join .Config.Image ","}}
{{join .Config.Cmd ","}}
{{join .Config.Entrypoint ","}}
{{join .HostConfig.CapAdd ","}}
{{split 1 ","}}
{{split .Config.Image 1}}
{{split .Config.Image nil}}
{{pad 1 1 1}}
{{truncate 1 2}}
{{"," | join .Config.Env}}
{{.Config.Env | join ","}}
{{index .Config.Labels 1}}
{{index .Config.Labels "a"}}
{{index .Config.Env "a"}}
{{index .NetworkSettings.Ports "80/tcp"}}
{{slice .Config.Env 0 1}}
{{slice .Config.Labels 0 1}}
{{with .Id}}{{end}}{{printf "%T" .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{.HostConfig.ShmSize}}
{{with .Id}}{{end}}{{if eq .HostConfig.ShmSize 1}}{{end}}
{{with .Id}}{{end}}{{printf "%d" .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{printf "%s" .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{.HostConfig.ShmSize.String}}
{{with .Id}}{{end}}{{.HostConfig.ShmSize.Int64}}
{{with .Id}}{{end}}{{.HostConfig.ShmSize.Float64}}
{{with .Id}}{{end}}{{len .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{json .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{not .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{lt .HostConfig.ShmSize 5}}
{{with .Id}}{{end}}{{index .Config.Env .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{truncate .Config.Image .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{upper .HostConfig.ShmSize}}
{{with .Id}}{{end}}{{range .HostConfig.ShmSize}}{{end}}
{{with .Id}}{{end}}{{.Config.Cmd}}
{{with .Id}}{{end}}{{join .Config.Cmd ","}}
{{with .Id}}{{end}}{{range .Config.Cmd}}{{.}}{{end}}
{{with .Id}}{{end}}{{printf "%T" .Config.Cmd}} {{printf "%T" .Config}}
{{with .Id}}{{end}}{{.Config.Nope}}
END
while read -r t; do
  echo "== $t"
  $DOCKER volume inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  sed "s/$N/NAME/g" $TMP/o $TMP/e
done <<'END'
{{.Name.Foo}}
{{.Labels.va}} {{index .Labels "vb"}} {{.Labels}} {{len .Labels}} {{json .Labels}}
{{join .Name ","}}
{{join 1 ","}}
{{join .Labels "x"}}
{{join nil 1}}
{{join nil "x"}}
{{upper nil}}
{{upper .Nope}}
{{upper .Labels.zz}}
{{upper .Status}}
{{upper .UsageData}}
{{upper .Status.x}}
{{truncate .Name .Name}}
{{truncate .Name 1.0}}
{{truncate .Name 1e0}}
{{truncate .Name 1+0i}}
{{truncate .Name 'a'}}
{{truncate .Name 0x2}}
{{pad .Name 1 true}}
{{pad .Name (len .Name) 1.0}}
{{pad .Name (len .Name) (print 1)}}
{{1 | pad .Name 1}}
{{"x" | pad .Name 1}}
{{.Name 1}}
{{.Labels.va 1}}
{{.Labels 1}}
{{$x := .Name}}{{$x 1}}
{{(.Name) 1}}
{{.Name.Label 1}}
{{$x := 1i}}{{$x}} {{printf "%T" $x}}
END
