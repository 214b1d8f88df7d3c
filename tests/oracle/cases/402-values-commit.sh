#!/bin/sh
# commit: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER commit "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in author change message; do
  words --$o
done
for o in a c m; do
  words -$o
done
for o in pause; do
  words --$o=maybe
  words --$o=
done
