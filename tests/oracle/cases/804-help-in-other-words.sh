#!/bin/sh
# where one option has other words in the help of two commands; what context create says of its endpoints
# tags: help
# weight: rare
for c in run create "container create"; do
	$DOCKER $c --help | tr -s ' \n' ' ' | grep -o -e '--pull string [^)]*) (default "missing")'
	$DOCKER $c --help | grep -c -e ' --pull '
done
for c in create update; do $DOCKER context $c --help; done
