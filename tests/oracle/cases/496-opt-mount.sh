#!/bin/sh
# --mount as it is kept
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in type=bind,src=/tmp,dst=/t type=bind,source=/tmp,target=/t,readonly type=tmpfs,dst=/t type=tmpfs,dst=/t,tmpfs-size=1m,tmpfs-mode=1770 type=volume,dst=/t dst=/t type=bind,dst=/t type=bind,src=/nosuch,dst=/t type=bind,src=/tmp type=x,dst=/t type=bind,src=/tmp,dst=t type=bind,src=/tmp,dst=/t,x=y foo '' type=bind,src=/tmp,dst=/t,ro=maybe type=tmpfs,src=/x,dst=/t type=bind,src=/tmp,dst=/t,bind-propagation=xx type=volume,src=a/b,dst=/t type=tmpfs,dst=/t,tmpfs-mode=9; do
  echo "== $v"
  $DOCKER create --name $N --network none --mount "$v" $IMAGE true >$TMP/o 2>$TMP/e
  rc=$?; echo "rc=$rc"
  [ $rc = 0 ] || grep -v ^WARNING $TMP/e | head -1 | low
  [ $rc = 0 ] && $DOCKER inspect -f '{{json .HostConfig.Mounts}} {{len .Mounts}}' $N
  $DOCKER rm -f $N >/dev/null 2>&1
done
