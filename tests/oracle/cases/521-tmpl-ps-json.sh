#!/bin/sh
# --format json and {{json .}} of ps
# tags: template ps
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=x,y -v /v $IMAGE sh -c "echo a long command line" >/dev/null
for t in 'json' \
  '{{json .}}'; do
  echo "== $t"
  $DOCKER ps -a --filter name=$N --format "$t" >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | python3 -c 'import json,sys
for l in sys.stdin:
  try: d=json.loads(l)
  except ValueError: print(l); continue
  print(sorted(k for k in d if k!="Platform")); print(d["State"],d["Image"],d["Labels"],d["Networks"],d["LocalVolumes"],d["Command"])'
done
