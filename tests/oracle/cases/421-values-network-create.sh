#!/bin/sh
# network create: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER network create "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in aux-address config-from driver gateway ip-range ipam-driver ipam-opt label opt scope subnet; do
  words --$o
done
for o in d o; do
  words -$o
done
for o in attachable config-only ingress internal ipv4 ipv6; do
  words --$o=maybe
  words --$o=
done
