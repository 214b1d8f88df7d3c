#!/bin/sh
# image inspect: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER image inspect "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in format platform; do
  words --$o
done
for o in f; do
  words -$o
done
