#!/bin/sh
# the names of containers, volumes and networks may come with blanks around them, a newline from a pipe say
# tags: cli
# weight: common
nl='
'
try() {
	echo "# $*" | sed "s/$N/N/g; s|$IMAGE|IMAGE|"
	$DOCKER "$@" >out 2>&1 </dev/null; echo "$?"
	sed "s/$N/N/g; s/.*docker: /docker: /" out
}
trap 'exec >/dev/null 2>&1; $DOCKER rm -f ${N}a ${N}b; $DOCKER volume rm ${N}v; $DOCKER rmi ${N}i' EXIT
$DOCKER run -d --name ${N}a --network none $IMAGE sleep 1000 >/dev/null
try inspect -f '{{.Name}}' "${N}a$nl"
try inspect -f '{{.Name}}' " ${N}a"
try container inspect -f '{{.Name}}' "${N}a "
try exec "${N}a$nl" echo hi
try logs " ${N}a$nl"
try cp "${N}a :/etc/passwd" p
test -s p && echo copied
try pause "${N}a "
try unpause "${N}a	"
try rename "${N}a " " ${N}b$nl"
try rename "${N}b " "${N}a"
$DOCKER commit "${N}a " ${N}i | wc -l
try kill "${N}a$nl"
try wait "${N}a$nl"
try start "${N}a$nl"
try stop -t 0 "${N}a$nl"
try rm "${N}a$nl"
try stop "${N}a$nl"
try rename "${N}a " x
$DOCKER volume create ${N}v >/dev/null
try volume inspect -f '{{.Name}}' "${N}v$nl"
try volume rm "${N}v "
try volume rm "${N}v "
try network inspect -f '{{.Name}}' "none$nl"
try network inspect -f '{{.Name}}' " ${N}n"
try network rm "${N}n$nl"
try rmi " "
try rmi "$IMAGE "
try run --rm --network none "$IMAGE " true 2>&1
