#!/bin/sh
# rm: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER rm "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in force link volumes; do
  words --$o=maybe
  words --$o=
done
