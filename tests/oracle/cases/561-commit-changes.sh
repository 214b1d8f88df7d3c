#!/bin/sh
# commit -c with every instruction that it takes
# tags: commit
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
for c in 'CMD ["a","b"]' 'CMD a b' 'ENTRYPOINT ["x"]' 'ENTRYPOINT x y' 'ENV A=1 B=2' 'ENV A 1 2' 'LABEL k=v' 'LABEL "k a"="v b"' 'EXPOSE 80' 'EXPOSE 80/udp 90' 'USER me' 'WORKDIR /w' 'WORKDIR rel' 'VOLUME /v' 'VOLUME ["/v","/w"]' 'ONBUILD RUN x' 'HEALTHCHECK CMD true' 'HEALTHCHECK NONE' 'HEALTHCHECK --interval=5s CMD x y' 'cmd x' 'CMD ["a"' 'CMD []' 'ENTRYPOINT []' 'ENV A="b c" D=$A' 'LABEL a=b c=d' 'EXPOSE 1-3' 'ENV a=b\ c' 'VOLUME /a /b' 'USER 1:2'; do
  echo "== $c"; $DOCKER commit -c "$c" $N $N:c >/dev/null && $DOCKER inspect -f '{{json .Config.Cmd}} {{json .Config.Env}} {{json .Config.ExposedPorts}} {{json .Config.User}} {{json .Config.WorkingDir}} {{json .Config.Volumes}} {{json .Config.OnBuild}} {{json .Config.Entrypoint}} {{json .Config.Healthcheck}} {{json .Config.Labels}}' $N:c; $DOCKER rmi -f $N:c >/dev/null 2>&1
done
