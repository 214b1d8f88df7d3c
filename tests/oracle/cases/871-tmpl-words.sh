#!/bin/sh
# words of templates that are wrong, and values of types that few print
# tags: template inspect
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -v /v -e A=b $IMAGE true >/dev/null
for t in '{{eq .State .State}} {{eq .State .HostConfig}}' \
  '{{printf "%#v %#v %v" .Config.StopTimeout .HostConfig.Init .HostConfig.Init}}' \
  '{{printf "%T %v %c" (index .Name 0) (index .Name 0) (index .Name 1)}}' \
  '{{index .Name 0 1}}' \
  '{{(index .Mounts 0).Nope}}' \
  '{{(.State).Nope}}' \
  '{{range .Config.Env}}{{break 1}}{{end}}' \
  '{{range .Config.Env}}{{continue .}}{{end}}' \
  '{{range $a, $b, $c := .Config.Env}}{{end}}' \
  '{{range $a, 1 := .Config.Env}}{{end}}' \
  '{{with $a, $b := .Config.Env}}{{end}}' \
  '{{define "a"}}x{{end}}{{define "a"}}y{{end}}{{template "a"}}' \
  '{{define "a"}}x{{end}}{{define "a"}} {{end}}{{template "a"}}' \
  '{{define "a"}} {{end}}{{define "a"}}y{{end}}{{template "a"}}' \
  '{{define "a"}}{{.Nope}}{{end}}{{template "a" .State}}' \
  '{{block "a" .}}{{template "a" .Config.Image}}{{end}}' \
  '{{block "a" .State}}{{.Status}}{{end}}{{.Nope}}' \
  '{{define "r"}}{{template "r"}}{{end}}{{template "r"}}' \
  "{{'ab'}}" \
  "{{'é'}} {{'\\u00e9'}}" \
  '{{99999999999999999999}}' \
  '{{-99999999999999999999}}' \
  '{{1.5}} {{1e3}} {{0x1p4}} {{9223372036854775807}}' \
  '{{upper .HostConfig.NetworkMode}} {{upper nil}}' \
  '{{len .HostConfig.Nope}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done
