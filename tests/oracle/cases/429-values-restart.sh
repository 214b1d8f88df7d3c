#!/bin/sh
# restart: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER restart "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in signal timeout; do
  words --$o
done
for o in s t; do
  words -$o
done
for o in timeout; do
  words --$o abc
  words --$o=
  words --$o 1.5.5
done
