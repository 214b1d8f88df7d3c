#!/bin/sh
# a domain name for the machine's own UTS namespace is refused by the start; names started stand before what was not
# tags: run start namespaces
# weight: rare
trap '$DOCKER rm -f ${N}a ${N}b ${N}c >/dev/null 2>&1' EXIT
$DOCKER run --rm --network none --uts host --domainname x $IMAGE true 2>&1 | grep -o 'sysctl "kernel.domainname".*'
$DOCKER run --rm --network none --uts host $IMAGE echo started
$DOCKER create --name ${N}a --network none --uts host --domainname x $IMAGE true >/dev/null
$DOCKER create --name ${N}b --network none $IMAGE true >/dev/null
$DOCKER create --name ${N}c --network none $IMAGE true >/dev/null
$DOCKER start ${N}a >/dev/null 2>&1; echo "rc=$?"
$DOCKER start ${N}b ${N}nope ${N}c 2>&1 | sed "s/$N/NAME/g" | grep -v 'No such container'
