#!/bin/sh
# --help before a command, or between the words of its name, is the command's; directories of --output are told as they are meant
# tags: help export save
# weight: common
first() { "$@" 2>&1 | sed -n '/./{p;q;}'; }
first $DOCKER --help ps; first $DOCKER -h ps; first $DOCKER --help container ls; first $DOCKER -D --help ps -a; first $DOCKER --help ps nosuch
first $DOCKER --help=true exec x y; first $DOCKER --help=false ps x; first $DOCKER --help container; first $DOCKER --help container nosuch
first $DOCKER container --help ls; first $DOCKER container --help nosuch; first $DOCKER container --help; first $DOCKER --help help
first $DOCKER --help ps --nosuch; first $DOCKER container --help ls --nosuch; first $DOCKER --help image rm
for at in ./x/y x//y/../z /nosuch//q ../nosuch/x x/; do
	$DOCKER export -o $at nosuch 2>&1; $DOCKER save -o $at $IMAGE 2>&1
done | sed 's/, use of.*//'
