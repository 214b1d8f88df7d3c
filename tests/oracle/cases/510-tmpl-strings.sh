#!/bin/sh
# upper lower title join split pad truncate
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{upper "abc"}} {{lower "ABC"}}' \
  '{{title "hello world"}}' \
  '{{join .Args ","}}' \
  '{{join .Config.Env ":"}}' \
  '{{split "a/b/c" "/"}}' \
  '{{index (split "a/b/c" "/") 1}}' \
  '{{json (split "a,b" ",")}}' \
  '{{pad "a" 2 3}}|' \
  '{{truncate "abcdef" 3}}|{{truncate "ab" 3}}' \
  '{{upper}}' \
  '{{upper 1}}' \
  '{{join .Name}}' \
  '{{join .Args}}' \
  '{{"abc" | upper | printf "%s!"}}' \
  '{{println "a" 1}}' \
  '{{print 1 2 "a" "b" 3}}' \
  '{{html "<a>&"}}' \
  '{{js "a'\''b"}}' \
  '{{urlquery "a b&c"}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
