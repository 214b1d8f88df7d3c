#!/bin/sh
# fields of version
# tags: template version
# weight: common
for t in '{{.Client.Os}} {{.Server.Os}}' \
  '{{.Client.Arch}}' \
  '{{json .Client.Os}}' \
  '{{.nosuch}}' \
  '{{' \
  '{{.Client.Version | len | lt 1}}' \
  '{{len .Client.APIVersion | lt 1}}' \
  '{{range .Server.Components}}{{len .Name | lt 1}}{{break}}{{end}}'; do
  echo "== $t"
  $DOCKER version --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | cat
done
