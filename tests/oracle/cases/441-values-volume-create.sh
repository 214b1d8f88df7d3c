#!/bin/sh
# volume create: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER volume create "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in driver label name opt; do
  words --$o
done
for o in d o; do
  words -$o
done
