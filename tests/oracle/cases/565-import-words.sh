#!/bin/sh
# import with -c and -m, from a file, a pipe, a compressed file
# tags: import
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; $DOCKER export $N >$TMP/x.tar
$DOCKER import $TMP/x.tar $N:c | cut -c1-7; $DOCKER import -c 'CMD ["sh"]' -c 'ENV A=1' -m hello $TMP/x.tar $N:d | cut -c1-7; $DOCKER inspect -f '{{.Comment}} {{json .Config.Cmd}} {{json .Config.Env}}' $N:d
cat $TMP/x.tar | $DOCKER import - $N:c | cut -c1-7; gzip -1 $TMP/x.tar; $DOCKER import $TMP/x.tar.gz $N:c | cut -c1-7; $DOCKER run --rm --network none $N:c echo ok
$DOCKER import $TMP/nosuch 2>&1 | low; $DOCKER import $TMP/x.tar.gz A 2>&1 | sed 's/name ([^)]*) must/name must/'; echo x | $DOCKER import - $N:g >/dev/null 2>&1; echo $?; $DOCKER import -c 'RUN x' $TMP/x.tar.gz 2>&1 | low
