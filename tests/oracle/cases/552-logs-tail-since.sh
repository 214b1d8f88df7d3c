#!/bin/sh
# --tail, --since and --until of a short log
# tags: logs
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run -d --name $N --network none $IMAGE sh -c 'echo a; echo b; echo c' >/dev/null; $DOCKER wait $N >/dev/null
for o in '' '--tail 1' '--tail 0' '--tail -1' '--tail all' '--tail abc' '-n 2' '--tail=' '--since 1h' '--since 2000-01-01' '--since abc' '--until 1h' '--until 2000-01-01T00:00:00' '--since 0' '--since 2099-01-01' '--since 1700000000.5' '--since 2020-01-01T10:00:00Z' '--since 2020-01-01T10:00:00+02:00' '--since 1h30m' '-f' '-f --tail 1'; do
  echo "== $o"; $DOCKER logs $o $N 2>&1; echo "rc=$?"
done; $DOCKER logs -t $N | sed 's/^[0-9T:.-]*Z/TS/' 
