#!/bin/sh
# types and absent members of info and version
# tags: template info version
# weight: rare
for t in '{{printf "%T %T %T %T %T" .Swarm .Plugins .Runtimes .RegistryConfig .DriverStatus}}' \
  '{{printf "%#v" .Swarm}}' '{{.Swarm}}' '{{.Swarm.Cluster}} {{.Swarm.Nodes}} {{.Swarm.Managers}}' '{{.Swarm.Cluster.ID}}' '{{.Swarm.Nope}}' \
  '{{printf "%T" .Runtimes.runc}}' '{{with .Runtimes.runc.Path}}path{{end}}' '{{printf "%T" .RegistryConfig.IndexConfigs}}' \
  '{{.FirewallBackend}}' '{{.CpuCfsPeriod}}' '{{.CPUCfsPeriod | printf "%T"}}' '{{.Plugins.Volume}}' '{{printf "%+v" .Plugins.Authorization}}' \
  '{{printf "%T %T" .ContainerdCommit .ClientInfo}}' '{{.ClientInfo.Nope}}'; do
  echo "== info $t"
  $DOCKER info --format "$t" 2>&1
done
for t in '{{printf "%T %T %T %T" .Client .Server .Server.Components .Server.Platform}}' '{{.Client.Platform}}' '{{.Client.ApiVersion}}' '{{.Server.ApiVersion}}' \
  '{{.Client.Platform.Name}}' '{{.Server.Platform.Nope}}' '{{len .Client}}' '{{len .Server}}' '{{if eq .Client.Context "default"}}y{{end}}'; do
  echo "== version $t"
  $DOCKER version --format "$t" 2>&1
done
