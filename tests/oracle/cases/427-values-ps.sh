#!/bin/sh
# ps: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER ps "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in filter format last; do
  words --$o
done
for o in f n; do
  words -$o
done
for o in all latest no-trunc quiet size; do
  words --$o=maybe
  words --$o=
done
for o in last; do
  words --$o abc
  words --$o=
  words --$o 1.5.5
done
