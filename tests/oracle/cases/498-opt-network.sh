#!/bin/sh
# --network: modes, conflicts, twice
# tags: options create
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
n() {
  $DOCKER create --name $N "$@" $IMAGE true >$TMP/o 2>$TMP/e; rc=$?; echo "$* rc=$rc"
  if [ $rc = 0 ]; then $DOCKER inspect -f '{{.HostConfig.NetworkMode}}' $N; $DOCKER rm $N >/dev/null; else grep -v ^WARNING $TMP/e | head -1 | low; fi
}
n --network none; n --network host; n --network none --network none; n --net none; n --network name=none; n --network container:; n --network none --network nosuch; n --network host --network-alias a; n --network none --link-local-ip 169.254.1.1
