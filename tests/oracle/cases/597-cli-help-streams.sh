#!/bin/sh
# help asked for is standard output, help for who named no command is standard error; -h is an old spelling
# tags: cli help
# weight: common
count() { $DOCKER "$@" >out 2>err; echo "$* rc=$? out=$(grep -c '^Usage:' out) err=$(grep -c '^Usage:' err) $(head -1 out | grep -o 'Flag shorthand.*')"; }
count
count --help
count help
for g in container image volume network system; do count $g; count $g --help; count $g -h; done
for c in ps exec images "container ls" "image ls" inspect rm; do count $c -h; count $c --help; done
