#!/bin/sh
# --ulimit: one value, two, and wrong ones
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in nofile=100 nofile=100:200 nofile=200:100 nofile nofile=abc nofile=1:2:3 nosuch=1 core=0 core=-1 nproc=10:20 stack=1048576 nofile=100:abc =1; do
  echo "== $v"
  $DOCKER create --name $N --network none --ulimit "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{range .HostConfig.Ulimits}}{{.Name}} {{.Soft}} {{.Hard}}{{end}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
