#!/bin/sh
# names that docker's client cleans away, those that it passes on as they are, and names of several lines
# tags: cli,errors
# weight: rare
trap '$DOCKER rm -fv $N $N-2 >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none $IMAGE true >/dev/null
try() {
	echo "# $*" | sed "s|$N|N|g; s|$IMAGE|IMAGE|"
	$DOCKER "$@" >out 2>err </dev/null
	echo "$?"
	sed "s|$N|N|g; s/Cannot kill/cannot kill/; s/cannot kill container: [^ ]*: //" err
}
for name in . / ./ x/.. .//; do
	for c in logs port attach 'start -a' 'container inspect' 'network inspect' 'image inspect' inspect \
		'volume inspect' stop kill rm 'rm -f' wait top diff pause 'update -m 100m' export restart start; do
		try $c $name
	done
	try exec $name true
	try exec -d $name true
	try rename $name $N-2
	try commit $name
	try network connect none $name
	try create --network none --pid container:$name $IMAGE true
	try create --network none --volumes-from $name $IMAGE true
done
try volume inspect . $N-nosuch
cat out
try volume inspect -f '{{.Name}}|{{.Driver}}|{{json .Labels}}' ./
cat out
for name in /$N //$N $N/ ./$N x/../$N; do
	try commit $name $N
	try create --name $N-2 --network none --volumes-from $name $IMAGE true
	$DOCKER rm $N-2 >/dev/null 2>&1
	try inspect -f '{{.Name}}' $name
done
try image inspect -f x "$IMAGE/"
try inspect -f x "$IMAGE/"
for name in . .. .x; do
	try create $name
	try run $name
done
try create --link : $IMAGE true
two="$N
$N-2"
for c in logs rm stop start inspect 'container inspect' 'volume rm' 'volume inspect' 'network rm' 'image inspect' export wait; do
	try $c "$two"
done
try stop "
$N
"
