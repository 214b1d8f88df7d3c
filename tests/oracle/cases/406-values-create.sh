#!/bin/sh
# create: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER create "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in add-host annotation attach blkio-weight blkio-weight-device cap-add cap-drop cgroup-parent cgroupns cidfile cpu-count cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems device device-cgroup-rule device-read-bps device-read-iops device-write-bps device-write-iops dns dns-option dns-search domainname entrypoint env env-file expose gpus group-add health-cmd health-interval health-retries health-start-interval health-start-period health-timeout hostname io-maxbandwidth io-maxiops ip ip6 ipc isolation kernel-memory label label-file link link-local-ip log-driver log-opt mac-address memory memory-reservation memory-swap memory-swappiness mount name network network-alias oom-score-adj pid pids-limit platform publish pull restart runtime security-opt shm-size stop-signal stop-timeout storage-opt sysctl tmpfs ulimit user userns uts volume volume-driver volumes-from workdir net net-alias dns-opt; do
  words --$o
done
for o in a c e h l m p u v w; do
  words -$o
done
for o in disable-content-trust init interactive no-healthcheck oom-kill-disable privileged publish-all quiet read-only rm tty use-api-socket; do
  words --$o=maybe
  words --$o=
done
for o in blkio-weight cpu-count cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus health-interval health-retries health-start-interval health-start-period health-timeout io-maxbandwidth kernel-memory memory memory-reservation memory-swap memory-swappiness oom-score-adj pids-limit shm-size stop-timeout; do
  words --$o abc
  words --$o=
  words --$o 1.5.5
done
