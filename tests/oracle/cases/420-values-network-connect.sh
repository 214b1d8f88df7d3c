#!/bin/sh
# network connect: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER network connect "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in alias driver-opt gw-priority ip ip6 link link-local-ip; do
  words --$o
done
for o in gw-priority; do
  words --$o abc
  words --$o=
  words --$o 1.5.5
done
