#!/bin/sh
# export to files, to directories, of what is not there
# tags: export error
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER create --name $N --network none $IMAGE true >/dev/null
$DOCKER export -o $TMP/x.tar $N; echo $?; tar tf $TMP/x.tar etc/passwd; $DOCKER export -o $TMP/no/x $N 2>&1 | low; $DOCKER export -o $TMP $N 2>&1 | low; $DOCKER export -o $TMP/e $N-x 2>&1 | low; ls $TMP
