#!/bin/sh
# an entrypoint of one empty word, the user's and an image's
# tags: inspect commit
# weight: rare
trap '$DOCKER rm -fv $N >/dev/null 2>&1; $DOCKER rmi -f $N-i $N-e $N-n >/dev/null 2>&1' EXIT
show() { $DOCKER inspect -f '{{json .Config.Entrypoint}} {{json .Config.Cmd}} {{.Path}} {{.Args}}' $N; $DOCKER rm $N >/dev/null; }
$DOCKER create --name $N $IMAGE true >/dev/null
$DOCKER commit -c 'ENTRYPOINT ["e"]' -c 'CMD ["c"]' $N $N-i >/dev/null
$DOCKER commit -c 'ENTRYPOINT [""]' -c 'CMD ["c"]' $N $N-e >/dev/null
$DOCKER rm $N >/dev/null
for i in $N-i $N-e; do
  echo "== $i" | sed "s/$N/NAME/"
  $DOCKER create --name $N $i >/dev/null && show
  $DOCKER create --name $N $i z >/dev/null && show
  $DOCKER create --name $N --entrypoint '' $i z >/dev/null && show
  $DOCKER create --name $N --entrypoint x $i >/dev/null && show
  $DOCKER create --name $N --entrypoint '' $i >/dev/null 2>&1
  echo "rc=$?"
done
$DOCKER create --name $N --entrypoint '' $N-i z >/dev/null
$DOCKER commit $N $N-n >/dev/null
$DOCKER image inspect -f '{{json .Config.Entrypoint}} {{json .Config.Cmd}}' $N-n
