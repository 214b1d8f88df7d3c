#!/bin/sh
# fields of an event
# tags: template events
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
S=$(date +%s); $DOCKER create -l q=w --name $N --network none $IMAGE true >/dev/null; E=$(($(date +%s)+1))
for t in '{{.Type}} {{.Action}}' \
  '{{.Status}} {{.From}}' \
  '{{.Actor.Attributes.name}}' \
  '{{.Actor.Attributes.image}} {{.Actor.Attributes.q}}' \
  '{{.Actor.Attributes.nosuch}}' \
  '{{.Scope}}' \
  '{{.Nosuch}}' \
  '{{json .Actor.Attributes}}' \
  '{{len .ID}}' \
  '{{.Time | lt 0}}' \
  '{{.nosuch'; do
  echo "== $t"
  $DOCKER events --since $S --until $E --filter container=$N --filter event=create --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
