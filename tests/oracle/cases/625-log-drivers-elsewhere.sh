#!/bin/sh
# drivers that hand the output on: there is a container, and no start where they cannot be reached
# tags: create, logs
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
for w in syslog journald 'fluentd --log-opt fluentd-address=127.0.0.1:1' gelf awslogs splunk nosuch 'gelf --log-opt gelf-address=udp://nosuch.invalid:1'; do
	echo "== $w"
	$DOCKER create --network none --name $N --log-driver $w "$IMAGE" true 2>&1 | sed 's/^[0-9a-f]\{64\}$/ID/'
	$DOCKER inspect -f '{{.HostConfig.LogConfig.Type}}' $N 2>/dev/null
	$DOCKER start $N >out 2>&1
	echo "start $?"
	sed 's/initialize logging driver: .*/initialize logging driver: .../; s/failed to create task for container: //' out | sed "s/$N/NAME/g"
	$DOCKER rm $N >/dev/null 2>&1
done
