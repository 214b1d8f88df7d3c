#!/bin/sh
# names that the fields have in Go and in JSON
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{.ID}}' \
  '{{.Id}}' \
  '{{.HostConfig.NanoCPUs}}' \
  '{{.HostConfig.NanoCpus}}' \
  '{{.HostConfig.CPUShares}}' \
  '{{.HostConfig.CpuShares}}' \
  '{{.HostConfig.CPUPeriod}}' \
  '{{.HostConfig.CPUQuota}}' \
  '{{.HostConfig.CpuQuota}}' \
  '{{.HostConfig.DNS}}' \
  '{{.HostConfig.Dns}}' \
  '{{.HostConfig.DNSOptions}}' \
  '{{.HostConfig.DNSSearch}}' \
  '{{.HostConfig.DnsSearch}}' \
  '{{.HostConfig.CPUCount}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
