#!/bin/sh
# fields of info
# tags: template info
# weight: common
for t in '{{.OSType}} {{.Architecture}}' \
  '{{.NCPU | lt 0}}' \
  '{{.MemTotal | lt 0}}' \
  '{{.Swarm.LocalNodeState}}' \
  '{{json .Swarm.ControlAvailable}}' \
  '{{.nosuch}}' \
  '{{' \
  '{{len .ID | lt 1}}' \
  '{{.Debug}}' \
  '{{.ExperimentalBuild}}' \
  '{{.LoggingDriver}}' \
  '{{.DefaultRuntime}}' \
  '{{len .KernelVersion | lt 1}}' \
  '{{.Isolation}}|'; do
  echo "== $t"
  $DOCKER info --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | cat
done
