#!/bin/sh
# the long form of -p, and what port and inspect show of what is published nowhere
# tags: port, create
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
for w in target=80 published=80,target=81 target=81,protocol=udp,mode=host target=80,foo=1 target=x target=80,published=x \
	target=80,protocol=x published=80 target=80,mode=x target=80,published=8000-8001 8000-8010:80 '[::1]:80:80' \
	target=80,foo target=80,=x target==80 'target=80, published=81' '"target=80",published=81'; do
	$DOCKER create --network none --name $N -p "$w" $IMAGE true >out 2>&1; echo "[$w] $?"
	sed "/^WARNING: /d; s/[0-9a-f]\{64\}/ID/g" out
	$DOCKER inspect -f '{{json .HostConfig.PortBindings}} {{json .Config.ExposedPorts}}' $N 2>/dev/null
	$DOCKER rm -f $N >/dev/null 2>&1
done
$DOCKER run -d --network none --name $N -p 8080:80 -p 127.0.0.1:53:53/udp -p 9000 --expose 7000-7002 $IMAGE sleep 1000 >/dev/null
for w in '' 80 80/tcp 80/udp 53/udp 7000 x 80/x 80/ /tcp 80-81 99999 -1; do
	echo "[$w] $($DOCKER port $N "$w" 2>&1 | sed "s/$N/NAME/g")"
done
$DOCKER port $N
$DOCKER ps --filter name=$N --format '[{{.Ports}}]'
$DOCKER inspect -f '{{json .NetworkSettings.Ports}}' $N
