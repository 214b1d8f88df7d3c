#!/bin/sh
# image prune: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER image prune "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in filter; do
  words --$o
done
for o in all force; do
  words --$o=maybe
  words --$o=
done
