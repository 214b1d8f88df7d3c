#!/bin/sh
# filters of ps and what they let through
# tags: ps filter
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none -l a=b -v /v -v /tmp:/t --expose 99 $IMAGE sh -c 'exit 4' >/dev/null
for f in status=created status=exited exited=4 exited=0 ancestor=$IMAGE ancestor=nosuch volume=/v volume=/t volume=/tmp volume=/x network=none network=host label=a label=a=b label=a=c label=z name=$N name=nosuch id=nosuch health=none is-task=false expose=99 expose=99/tcp expose=80 before=$N since=$N name=^$N$ name=^/$N$ 'status=created --filter status=exited' 'label=a --filter label=z'; do echo "$f: $($DOCKER ps -a -q --filter $f --filter name=$N | wc -l)" | low; done
$DOCKER start -a $N; for f in status=created status=exited exited=4 exited=0 'exited=4 --filter exited=0'; do echo "$f: $($DOCKER ps -a -q --filter $f --filter name=$N | wc -l)"; done
