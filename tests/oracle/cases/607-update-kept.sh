#!/bin/sh
# update: what is kept, and options of which nothing comes
# tags: update
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER create --network none --name $N $IMAGE true >/dev/null
show() { $DOCKER inspect -f '{{.HostConfig.PidsLimit}} {{.HostConfig.RestartPolicy}}' $N; }
$DOCKER update --pids-limit 7 $N | sed "s/$N/NAME/"; show
$DOCKER update --pids-limit -1 $N | sed "s/$N/NAME/"; show
$DOCKER update --pids-limit -5 $N | sed "s/$N/NAME/"; show
$DOCKER update --blkio-weight 500 $N 2>/dev/null | head -1 | sed "s/$N/NAME/"; show
$DOCKER update --restart on-failure:2 $N | sed "s/$N/NAME/"; show
$DOCKER update $N 2>&1
