#!/bin/sh
# create: options that it does not have, too few or too many arguments
# tags: words cli error
# weight: common
words() {
  echo "== $*"
  $DOCKER create "$@" >$TMP/o 2>&1 </dev/null
  echo "rc=$?"
  sed s/^SRun/Run/ $TMP/o
}
words --nosuch
words -Z
words -Zabc
words --nosuch=1
words --=x
words ---x
words
