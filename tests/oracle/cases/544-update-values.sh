#!/bin/sh
# update: values that are taken, and those that are not
# tags: update
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE sleep 1000 >/dev/null
for o in "-m abc" "-m 1m" "--restart nosuch" "--restart always" "--restart on-failure:3" "--restart on-failure:x" "--pids-limit 10" "--pids-limit abc" "--cpu-shares x" "--cpus x" "--restart no"; do
  $DOCKER update $o $N >$TMP/o 2>$TMP/e; echo "$o rc=$?"; low <$TMP/o; grep -v -e WARNING $TMP/e | head -1 | low; $DOCKER inspect -f '{{json .HostConfig.RestartPolicy}} {{json .HostConfig.PidsLimit}}' $N
done
$DOCKER update --restart no $N $N-no 2>&1 | low
