#!/bin/sh
# structs that are embedded in docker's, by their own names; members that are left out
# tags: template inspect
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -m 64m $IMAGE true >/dev/null
while read -r t; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{.ContainerJSONBase.State.Status}}
{{.HostConfig.Resources.Memory}} {{.HostConfig.Resources.CPUShares}}
{{.NetworkSettings.NetworkSettingsBase.Bridge}} {{.NetworkSettings.DefaultNetworkSettings.IPAddress}}
{{.NetworkSettings.DefaultNetworkSettings}}
{{printf "%+v" .NetworkSettings.DefaultNetworkSettings}}
{{json .NetworkSettings.DefaultNetworkSettings}}
{{printf "%T %T" .ContainerJSONBase .HostConfig.Resources}}
{{.ContainerJSONBase.Config}}
{{.HostConfig.Resources.NetworkMode}}
{{.HostConfig.Resources.Nope}}
{{.NetworkSettings.NetworkSettingsBase.IPAddress}}
{{.NetworkSettings.NetworkSettingsBase}}
END
while read -r t; do
  echo "== $t"
  $DOCKER image inspect -f "$t" $IMAGE >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{printf "%T" .Metadata.LastTagTime}}
{{.Metadata.LastTagTime.IsZero}}
{{.Metadata.LastTagTime.Year}}
{{json .Metadata.LastTagTime.IsZero}}
{{.Config.ImageConfig}}
{{.Config.DockerOCIImageConfigExt}}
{{.Config.ImageConfig.Cmd}} {{.Config.ImageConfig.Env}} {{json .Config.ImageConfig}}
{{.Config.Cmd}} {{.Config.Entrypoint}} {{printf "%T" .Config.Cmd}} {{printf "%T" .Config.Entrypoint}}
{{.Descriptor}} {{.Manifests}} {{json .Manifests}}
END
while read -r t; do
  echo "== $t"
  $DOCKER network inspect -f "$t" none >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{.Peers}} {{.Services}} {{len .Services}}
{{json .Peers}} {{json .Services}}
END
while read -r t; do
  echo "== $t"
  $DOCKER info -f "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e
done <<'END'
{{eq .Info.Name .Name}} {{eq .Info.NCPU .NCPU}}
{{.Info.Isolation.IsDefault}} {{.Isolation.IsDefault}} {{printf "%T" .Isolation}}
{{printf "%T" .Info}}
{{.Info.ClientInfo}}
{{.Info.Nope}}
{{.ClientInfo.clientVersion}}
{{.ClientInfo.clientVersion.Version}}
{{.ClientErrors}} {{.ServerErrors}} {{.UserName}}
{{.Swarm.LocalNodeState}} {{printf "%T" .Swarm.LocalNodeState}}
{{printf "%T" .RegistryConfig.InsecureRegistryCIDRs}}
{{.HTTPProxy}}|{{.HTTPSProxy}}|{{.NoProxy}}
{{.HttpProxy}}
{{.Isolation.IsDefault 1}}
{{.Isolation.Nope}}
{{upper .Isolation}}
{{upper .Swarm.LocalNodeState}}
{{.InitCommit.Expected}}
{{printf "%T %T" .KernelMemory .KernelMemoryTCP}}
{{printf "%T" .ClientInfo.APIVersion}} {{.ClientInfo.Platform}}
END
