#!/bin/sh
# stats: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER stats "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in format; do
  words --$o
done
for o in all no-stream no-trunc; do
  words --$o=maybe
  words --$o=
done
