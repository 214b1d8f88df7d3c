#!/bin/sh
# logs of the drivers local, json-file and none
# tags: logs
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for d in local json-file none; do
  $DOCKER run -d --name $N --network none --log-driver $d $IMAGE echo x >/dev/null; $DOCKER wait $N >/dev/null
  $DOCKER logs $N 2>&1 | low; $DOCKER inspect -f '{{.HostConfig.LogConfig.Type}}' $N; $DOCKER rm $N >/dev/null
done
