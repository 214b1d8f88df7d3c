#!/bin/sh
# --help behind commands that there are not, beside options that are wrong, and with a value; topics of help
# tags: cli
# weight: rare
export HOME=$TMP
show() { echo "# $*"; $DOCKER "$@" >out 2>err; echo "$?"; head -n 1 out; cat err; }
show container nope --help
show image nope x --help
show volume nope -h
show volume nope -- --help
show ps --help --nope
show ps --nope --help
show ps x --help
show ps --help -z
show ps -hz
show ps -qh
show ps --help=false -q --filter name=sbx-none
show ps --help=x
show run --help --cpus x
show run --help --nope image
show container ls --help --nope
show help run x
show help nope x
show help container ls
show help container nope
show help container ls x
$DOCKER nope --help | grep -c "  run  *Create and run a new container from an image"
$DOCKER nope x -h | head -n 1
