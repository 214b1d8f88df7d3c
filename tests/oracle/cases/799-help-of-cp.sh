#!/bin/sh
# what cp says of - stands in its help
# tags: help cp
# weight: rare
$DOCKER cp --help
