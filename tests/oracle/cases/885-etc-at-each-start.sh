#!/bin/sh
# hosts, hostname and resolv.conf are written at each start and restart: what the container wrote is gone, its modes stay
# tags: start,etc,restart
# weight: rare
trap '$DOCKER rm -f $N $N-2 >/dev/null 2>&1' EXIT
count='cd /etc; for f in hosts hostname resolv.conf; do grep -c mark $f; echo mark >>$f; done'
echo "== start"
for o in '--network none' '--network host' '--network none --add-host a:1.2.3.4 --dns 1.2.3.4' '--network none --restart on-failure:1'; do
	$DOCKER create --name $N $o $IMAGE sh -c "$count; exit 3" >/dev/null
	$DOCKER start -a $N >/dev/null
	$DOCKER wait $N
	$DOCKER start -a $N >/dev/null
	$DOCKER wait $N
	$DOCKER logs $N | sort | uniq -c | sed 's/^ *//'
	$DOCKER rm $N >/dev/null
done
echo "== modes and owners"
$DOCKER create --name $N --network none $IMAGE sh -c '
	cd /etc; stat -c "%a %u %n" hosts hostname resolv.conf; : >hosts; chmod 400 hosts; chmod 666 hostname; : >hostname; head -c 70000 /dev/zero >resolv.conf' >/dev/null
for i in 1 2; do
	$DOCKER start -a $N
	$DOCKER cp $N:/etc/hosts - | wc -c
done
$DOCKER start -a $N
$DOCKER rm $N >/dev/null
echo "== restart"
$DOCKER run -d --name $N --network none -h own --restart always $IMAGE sleep 1000 >/dev/null
$DOCKER exec $N sh -c "$count"
$DOCKER run --name $N-2 --network container:$N $IMAGE sh -c "hostname; $count"
$DOCKER start -a $N-2
$DOCKER restart -t 0 $N >/dev/null
$DOCKER exec $N sh -c "$count"
$DOCKER start -a $N-2
$DOCKER exec $N sh -c "$count"
$DOCKER kill $N >/dev/null
$DOCKER start $N >/dev/null
$DOCKER exec $N sh -c "$count"
