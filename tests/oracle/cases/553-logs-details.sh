#!/bin/sh
# --details shows what log options name
# tags: logs
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none -l a=b -e FOO=bar --log-opt labels=a --log-opt env=FOO $IMAGE echo x >/dev/null; $DOCKER wait $N >/dev/null
$DOCKER logs --details $N; $DOCKER logs -t --details $N | sed 's/^[0-9T:.-]*Z/TS/' 
