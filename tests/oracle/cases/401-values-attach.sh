#!/bin/sh
# attach: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER attach "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in detach-keys; do
  words --$o
done
for o in no-stdin sig-proxy; do
  words --$o=maybe
  words --$o=
done
