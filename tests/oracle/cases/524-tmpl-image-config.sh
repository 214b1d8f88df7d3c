#!/bin/sh
# the config of an image, as it is shown
# tags: template images inspect commit
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N:c $N:d >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER commit -c "CMD [\"a\"]" -c "ENV A=1" -c "LABEL x=y" -c "WORKDIR /w" -c "EXPOSE 80" -c "VOLUME /v" -c "USER u" -c "ENTRYPOINT [\"e\"]" -c "HEALTHCHECK --interval=5s CMD x" -c "ONBUILD RUN y" $N $N:c >/dev/null
for t in '{{json .Config}}' \
  '{{json .Config.Cmd}}' \
  '{{json .Config.Entrypoint}}' \
  '{{json .Config.Labels}}' \
  '{{json .Config.ExposedPorts}}' \
  '{{.Config.ExposedPorts}}' \
  '{{.Config.Volumes}}' \
  '{{.Config.WorkingDir}}' \
  '{{.Config.User}}' \
  '{{index .Config.Env 0}}' \
  '{{json .Config.Healthcheck}}' \
  '{{json .Config.OnBuild}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N:c >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
