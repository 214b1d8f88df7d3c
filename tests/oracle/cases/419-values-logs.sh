#!/bin/sh
# logs: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER logs "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in since tail until; do
  words --$o
done
for o in n; do
  words -$o
done
for o in details follow timestamps; do
  words --$o=maybe
  words --$o=
done
