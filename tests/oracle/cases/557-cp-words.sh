#!/bin/sh
# cp: what its operands may be
# tags: cp error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null; echo hi >$TMP/f
for a in "a b c" "a" "f g" "a:/x b:/y" "- -" "f -" ":/x y" "f :/x" "- $N:/nosuch" "- $N:/etc/passwd" "$N:/nosuch -"; do
  $DOCKER cp $a >$TMP/o 2>$TMP/e </dev/null; echo "$a rc=$?" | low; head -1 $TMP/e | low
done
