#!/bin/sh
# pull: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER pull "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in platform; do
  words --$o
done
for o in all-tags disable-content-trust quiet; do
  words --$o=maybe
  words --$o=
done
