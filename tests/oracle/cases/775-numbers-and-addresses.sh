#!/bin/sh
# numbers that Go's Atoi and ParseInt read as decimal, names of signals, addresses with blanks, ports with zeros
# tags: create
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
try() {
	echo "# $*"
	$DOCKER create --name $N "$@" $IMAGE true 2>&1 >/dev/null | head -n 1 | sed 's/: Invalid/: invalid/'
	$DOCKER inspect -f "$show" $N 2>/dev/null && $DOCKER rm $N >/dev/null
}
show='{{json .HostConfig.Ulimits}}'
for v in nofile=010:+20 nofile=+5 nofile=0x10 nofile=1_0; do try --ulimit $v; done
show='{{json .HostConfig.RestartPolicy}}'
for v in 010 +3 0x3; do try --restart on-failure:$v; done
show='{{json .HostConfig.DeviceRequests}}'
for v in all,1 all,all all,count=1 count=1,all 010 0x1; do try --gpus $v; done
show='{{json .HostConfig.ExtraHosts}}'
try --add-host 'a: 1.2.3.4'
try --add-host 'a:[1.2.3.4 ]'
show='{{json .HostConfig.PortBindings}} {{json .Config.ExposedPorts}}'
for v in 080:080 080-080:80 080-090:80 080-081:80-81 '[::1:80:80'; do try -p $v; done
try --expose 80/TCP --expose 80
try --expose 080
show='{{.Config.StopSignal}}'
for v in +15 99999999999999999999 RTMIN+15 RTMIN+16 RTMIN+0 RTMIN+015 RTMAX-14 RTMAX-15 rtmax-1 -5 00; do try --stop-signal $v; done
$DOCKER run -d --name $N --network none $IMAGE sleep 100 >/dev/null
for v in +0 015x 00 RTMIN+16 -9 065 099 +018 018; do
	$DOCKER kill -s $v $N 2>&1 | sed "s/$N/NAME/; s/: Invalid/: invalid/; s/: Cannot/: cannot/"
done
