#!/bin/sh
# options without effect on a machine like this one: what inspect keeps of them
# tags: inspect create
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
kept() { # template, options
  t=$1; shift
  $DOCKER create --name $N --network none "$@" $IMAGE true >/dev/null 2>err
  rc=$?
  printf '%s: ' "$*"
  if [ $rc = 0 ]; then $DOCKER inspect -f "$t" $N; else echo "$rc $(head -1 err)"; fi
  $DOCKER rm -f $N >/dev/null 2>&1
}
for g in all 0 2 -1 device=0 device=0,1 '"device=0,1"' count=3 driver=x all,capabilities=utility 'all,"capabilities=a,b"' \
  '1,options=a=b' 'all,"options=a=b,c=d"'; do
  kept '{{json .HostConfig.DeviceRequests}}' --gpus "$g"
done
kept '{{json .HostConfig.BlkioDeviceReadBps}}' --device-read-bps /dev/null:1mb --device-read-bps /dev/zero:1000
kept '{{json .HostConfig.BlkioDeviceWriteBps}}' --device-write-bps /dev/null:1.5k
kept '{{json .HostConfig.BlkioDeviceReadIOps}}' --device-read-iops /dev/null:100
kept '{{json .HostConfig.BlkioDeviceWriteIOps}}' --device-write-iops /dev/null:7
kept '{{.HostConfig.Isolation}}' --isolation default
kept '[{{.HostConfig.Isolation}}]' --isolation=
kept '{{.HostConfig.VolumeDriver}}' --volume-driver local
kept '{{.HostConfig.ContainerIDFile}}' --cidfile cid
kept '[{{.HostConfig.ContainerIDFile}}]' --cidfile=
kept '{{json .HostConfig.MemorySwappiness}}' --memory-swappiness=-1
kept '{{json .HostConfig.DnsSearch}}' --dns-search example.com. --dns-search .
kept '{{with .Config.StopSignal}}signal {{.}}{{else}}no signal{{end}}' --stop-signal=
kept '{{json .HostConfig.SecurityOpt}}' --ipc host
kept '{{json .HostConfig.SecurityOpt}}' --pid host
kept '{{json .HostConfig.SecurityOpt}}' --privileged
kept '{{json .HostConfig.SecurityOpt}}' --privileged --security-opt no-new-privileges
kept '{{json .HostConfig.SecurityOpt}} {{json .HostConfig.MaskedPaths}}' --security-opt systempaths=unconfined
kept '{{json .HostConfig.SecurityOpt}}' --security-opt systempaths=unconfined --security-opt no-new-privileges
printf 'a=b\nHOME\nc=\n' > labels
kept '{{json .Config.Labels}}' --label-file labels
kept '{{len .Config.Hostname}}' --uts host
kept '{{.Config.AttachStdin}} {{.Config.AttachStdout}} {{.Config.AttachStderr}} {{.Config.StdinOnce}}' -i -a stdout
kept '{{.Config.AttachStdin}} {{.Config.AttachStdout}} {{.Config.AttachStderr}} {{.Config.StdinOnce}}' -a stdin
