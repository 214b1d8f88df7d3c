#!/bin/sh
# diff of added, changed and deleted files
# tags: diff
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
low() { sed "s/\(daemon: \)\([A-Z]\)/\1\L\2/; s/\(container: [^ ]*: \)C/\1c/; s/$N/NAME/g; s/[0-9a-f]\{64\}/ID/g; s/[0-9a-f]\{12\}/ID/g; s,$TMP,TMP,g"; }
$DOCKER run --name $N --network none $IMAGE sh -c 'echo 1 >/new; rm /etc/motd; chmod 600 /etc/passwd; mkdir /dd; touch /dd/f; mv /usr/games /usr/gg; ln -s x /ln; echo x >>/etc/group; rm -r /var/mail; mkdir /var/mail'
$DOCKER diff $N | sort
