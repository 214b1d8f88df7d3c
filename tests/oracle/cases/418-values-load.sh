#!/bin/sh
# load: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER load "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in input platform; do
  words --$o
done
for o in i; do
  words -$o
done
for o in quiet; do
  words --$o=maybe
  words --$o=
done
