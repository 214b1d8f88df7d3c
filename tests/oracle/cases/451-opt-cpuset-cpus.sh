#!/bin/sh
# --cpuset-cpus lists
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
C=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status) # the first one of ours
for v in C C-C C,C abc C- ,C; do
  echo "== $v"
  $DOCKER create --name $N --network none --cpuset-cpus "$(echo "$v" | sed "s/C/$C/g")" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low | sed "s/\b$C\b/C/g"
  [ $rc = 0 ] && $DOCKER inspect -f '{{.HostConfig.CpusetCpus}}' $N | sed "s/\b$C\b/C/g"
  $DOCKER rm -f $N >/dev/null 2>&1
done
