#!/bin/sh
# the types of Go that errors of templates name
# tags: version, info, format
# weight: rare
run() { echo "== $*"; $DOCKER "$@" 2>&1 | tail -1; }
for f in .Nope .Client.Nope .Server.Nope .Client.Version.Nope .Client.Context.x 'len .Client' 'index .Server.Components 9' \
	'range .Server.Components}}{{.Nope}}{{end'; do
	run version -f "{{$f}}"
done
for f in .Nope .Plugins.Nope .RegistryConfig.Nope .Swarm.Nope .ClientInfo.Nope .ContainerdCommit.Nope .RuncCommit.Nope \
	.MemTotal.Nope .NCPU.Nope .ServerVersion.Nope 'index .Labels 0' 'index .Labels 1' 'index .Name 999'; do
	run info -f "{{$f}}"
done
run version -f '{{index "abc" 3}}'
run version -f '{{index "abc" 4}}'
