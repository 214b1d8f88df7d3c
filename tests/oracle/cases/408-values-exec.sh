#!/bin/sh
# exec: options without their value, switches and numbers with a wrong one
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER exec "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$? $(head -1 $TMP/o)"
}
for o in detach-keys env env-file user workdir; do
  words --$o
done
for o in e u w; do
  words -$o
done
for o in detach interactive privileged tty; do
  words --$o=maybe
  words --$o=
done
