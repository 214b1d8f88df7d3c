#!/bin/sh
# commit -c with what is no instruction
# tags: commit error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for c in 'RUN x' 'FROM x' nosuch 'COPY a b' ENV 'ENV A' 'EXPOSE abc' 'SHELL ["a"]' 'MAINTAINER me' 'ARG a' 'LABEL a' USER VOLUME WORKDIR 'EXPOSE 70000' 'ONBUILD ONBUILD x' 'ONBUILD FROM x' 'HEALTHCHECK --nosuch CMD x' 'HEALTHCHECK foo' HEALTHCHECK 'EXPOSE 80/xyz'; do
  $DOCKER commit -c "$c" $N $N:c >$TMP/o 2>$TMP/e; echo "$c rc=$?"; low <$TMP/e
done; $DOCKER images -q $N
