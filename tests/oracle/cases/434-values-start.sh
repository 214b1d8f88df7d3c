#!/bin/sh
# start: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER start "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in checkpoint checkpoint-dir detach-keys; do
  words --$o
done
for o in attach interactive; do
  words --$o=maybe
  words --$o=
done
