#!/bin/sh
# --tmpfs: the options that the mount has
# tags: run mount
# weight: common
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
for v in size=1m ro noexec,size=2m exec mode=1777 nr_inodes=100 ro,rw rw,ro; do $DOCKER run --rm --network none --tmpfs "/t:$v" $IMAGE sh -c 'grep " /t " /proc/mounts' | sed 's/,uid=[0-9]*//; s/,gid=[0-9]*//; s/,inode64//'; done; $DOCKER run --rm --network none $IMAGE df -k /dev/shm | tail -1; $DOCKER run --rm --network none --shm-size 10m $IMAGE df -k /dev/shm | tail -1
