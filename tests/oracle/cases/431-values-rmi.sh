#!/bin/sh
# rmi: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER rmi "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in platform; do
  words --$o
done
for o in force no-prune; do
  words --$o=maybe
  words --$o=
done
