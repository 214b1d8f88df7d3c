#!/bin/sh
# what HostConfig says when nothing was asked for
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{json .HostConfig.Binds}}' \
  '{{json .HostConfig.ContainerIDFile}}' \
  '{{json .HostConfig.NetworkMode}}' \
  '{{json .HostConfig.PortBindings}}' \
  '{{json .HostConfig.AutoRemove}}' \
  '{{json .HostConfig.VolumeDriver}}' \
  '{{json .HostConfig.VolumesFrom}}' \
  '{{json .HostConfig.ConsoleSize}}' \
  '{{json .HostConfig.CapAdd}}' \
  '{{json .HostConfig.CapDrop}}' \
  '{{json .HostConfig.Dns}}' \
  '{{json .HostConfig.DnsOptions}}' \
  '{{json .HostConfig.DnsSearch}}' \
  '{{json .HostConfig.ExtraHosts}}' \
  '{{json .HostConfig.GroupAdd}}' \
  '{{json .HostConfig.IpcMode}}' \
  '{{json .HostConfig.Cgroup}}' \
  '{{json .HostConfig.Links}}' \
  '{{json .HostConfig.OomScoreAdj}}' \
  '{{json .HostConfig.PidMode}}' \
  '{{json .HostConfig.Privileged}}' \
  '{{json .HostConfig.PublishAllPorts}}' \
  '{{json .HostConfig.ReadonlyRootfs}}' \
  '{{json .HostConfig.SecurityOpt}}' \
  '{{json .HostConfig.UTSMode}}' \
  '{{json .HostConfig.UsernsMode}}' \
  '{{json .HostConfig.ShmSize}}' \
  '{{json .HostConfig.Runtime}}' \
  '{{json .HostConfig.Isolation}}' \
  '{{json .HostConfig.CpuShares}}' \
  '{{json .HostConfig.Memory}}' \
  '{{json .HostConfig.NanoCpus}}' \
  '{{json .HostConfig.CgroupParent}}' \
  '{{json .HostConfig.BlkioWeight}}' \
  '{{json .HostConfig.CpuPeriod}}' \
  '{{json .HostConfig.CpuQuota}}' \
  '{{json .HostConfig.CpusetCpus}}' \
  '{{json .HostConfig.CpusetMems}}' \
  '{{json .HostConfig.Devices}}' \
  '{{json .HostConfig.DeviceCgroupRules}}' \
  '{{json .HostConfig.DeviceRequests}}' \
  '{{json .HostConfig.MemoryReservation}}' \
  '{{json .HostConfig.MemorySwap}}' \
  '{{json .HostConfig.MemorySwappiness}}' \
  '{{json .HostConfig.PidsLimit}}' \
  '{{json .HostConfig.Ulimits}}' \
  '{{json .HostConfig.CpuCount}}' \
  '{{json .HostConfig.CpuPercent}}' \
  '{{json .HostConfig.IOMaximumIOps}}' \
  '{{json .HostConfig.Init}}' \
  '{{json .HostConfig.Mounts}}' \
  '{{json .HostConfig.StorageOpt}}' \
  '{{json .HostConfig.Tmpfs}}' \
  '{{json .HostConfig.Sysctls}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
