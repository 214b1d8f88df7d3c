#!/bin/sh
# --log-opt tag is a template, looked at when the container starts; sizes of logs that are too large or none
# tags: logs,create
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
for tag in '{{.ID}}' '{{.FullID}}' '{{.Name}}' '{{.ImageName}}/{{.Name}}' '{{.DaemonName}}' '{{.Command}}' '{{json .Name}}' '{{.ContainerName}} {{.ContainerEntrypoint}} {{.ContainerArgs}} {{.ContainerLabels}} {{.Config.labels}}' '{{ upper .Name }}' x '' '{{.Nope}}' '{{' '{{.'; do
	echo "# $tag"
	$DOCKER create --name $N --network none --label a=b --log-opt labels=a --log-opt tag="$tag" $IMAGE echo out >id
	$DOCKER start -a $N 2>&1; echo "$?"
	$DOCKER logs --details $N 2>/dev/null
	$DOCKER rm -f $N >/dev/null
done | sed "s/$(echo $N | tr a-z A-Z)/UPPER/; s/tag=[0-9a-f]\{64\}/tag=ID/; s/tag=[0-9a-f]\{12\}/tag=SHORT/; s/$N/NAME/g; s/tag=${IMAGE%:*}\(%3A[^%]*\)*/tag=IMAGE/"
try() {
	echo "# $*"
	$DOCKER create --name $N --network none "$@" $IMAGE true 2>&1 >/dev/null | head -n 1
	$DOCKER start -a $N 2>&1 | grep -v such; $DOCKER rm -f $N >/dev/null 2>&1
}
try --log-opt max-size=99999999999g
try --log-opt max-size=-1
try --log-opt max-size=0
try --log-opt max-buffer-size=x --log-opt mode=non-blocking
try --log-opt max-buffer-size=1m
try --log-opt max-buffer-size=1m --log-opt mode=non-blocking
