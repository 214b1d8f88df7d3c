#!/bin/sh
# options of run that do not go together
# tags: run error
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
r() { $DOCKER run --network none "$@" $IMAGE true >$TMP/o 2>$TMP/e; echo "$* rc=$?" | low; grep -v ^WARNING $TMP/e | head -1 | low; }
r -d -a stdout; r -d --rm --restart always; r --rm --restart on-failure; r -it; r --memory-swap 50m; r --memory 100m --memory-reservation 200m; r --memory-swappiness 200; r --cpu-period 100; r --cpu-quota 100; r --cpus 1 --cpu-period 1000; r --cpus 1 --cpu-quota 10000; r --no-healthcheck --health-cmd x; r --ip abc; r --ip 1.2.3.4; r --network-alias a; r --link no$N:b; r --log-driver none --log-opt a=b; r -h -x; r -u 0:nosuch; r -u -1; r -u 99999999999; r -w rel
