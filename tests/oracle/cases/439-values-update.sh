#!/bin/sh
# update: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER update "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in blkio-weight cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems kernel-memory memory memory-reservation memory-swap pids-limit restart; do
  words --$o
done
for o in c m; do
  words -$o
done
for o in blkio-weight cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus kernel-memory memory memory-reservation memory-swap pids-limit; do
  words --$o abc
  words --$o=
  words --$o 1.5.5
done
