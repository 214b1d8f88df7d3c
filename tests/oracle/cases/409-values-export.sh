#!/bin/sh
# export: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER export "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in output; do
  words --$o
done
for o in o; do
  words -$o
done
