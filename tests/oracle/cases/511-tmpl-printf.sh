#!/bin/sh
# printf of strings, numbers, lists
# tags: template inspect
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none -l a=1 -l b=2 -e X=y $IMAGE sh -c "echo hi" >/dev/null
for t in '{{printf "%q" "a\"b"}}' \
  '{{printf "%-6s|%6s|" "ab" "cd"}}' \
  '{{printf "%v" .State.Running}}' \
  '{{printf "%d" .State.ExitCode}}' \
  '{{printf "%.2f" 1.5}}' \
  '{{printf "%5d|%-5d|%05d" 1 2 3}}' \
  '{{printf "%x %X %o %b %c %U" 255 255 8 5 65 65}}' \
  '{{printf "%s" 1}}' \
  '{{printf "%d" "a"}}' \
  '{{printf "%s"}}' \
  '{{printf "a" 1}}' \
  '{{printf "%t" true}}' \
  '{{printf "%v %+v %#v %T" 1 1 "a" 1}}' \
  '{{printf "%v" .Config.Cmd}}' \
  '{{printf "%q" .Config.Cmd}}' \
  '{{printf "%T" .Config.Labels}}' \
  '{{printf "%%"}}' \
  '{{printf}}' \
  '{{printf 1}}' \
  '{{printf "%3c|%-3q|" 65 "a"}}' \
  '{{printf "%x" "hi"}}' \
  '{{printf "%8.3f|" 3.14159}}' \
  '{{printf "%e" 1234.5}}' \
  '{{printf "%z" 1}}'; do
  echo "== $t"
  $DOCKER inspect -f "$t" $N >$TMP/o 2>$TMP/e
  echo "rc=$?"
  cat $TMP/o $TMP/e | sed "s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s/[0-9.]*[kMG]B/SIZE/g"
done
