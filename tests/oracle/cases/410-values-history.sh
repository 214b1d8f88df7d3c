#!/bin/sh
# history: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER history "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in format platform; do
  words --$o
done
for o in human no-trunc quiet; do
  words --$o=maybe
  words --$o=
done
