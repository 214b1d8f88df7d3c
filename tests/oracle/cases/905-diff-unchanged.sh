#!/bin/sh
# diff: what is written as it was before is no change, and a directory in which something came and went is none
# tags: diff
# weight: common
trap '$DOCKER rm -fv $N >/dev/null 2>&1' EXIT
diff_of() {
  echo "== $1"
  $DOCKER run --name $N --network none $IMAGE sh -c "$1"
  $DOCKER diff $N | sort
  $DOCKER rm $N >/dev/null
}
diff_of 'touch /tmp/x; rm /tmp/x'
diff_of 'mkdir /root/d; rmdir /root/d'
diff_of 'chmod 644 /etc/group'
diff_of 'chmod 600 /etc/group'
diff_of 'chmod 600 /etc/group; chmod 644 /etc/group'
diff_of 'chown 0:0 /etc/group'
diff_of 'cp -p /etc/group /x; mv /x /etc/group'
diff_of 'cp /etc/group /x; mv /x /etc/group'
diff_of 'ln /etc/group /l'
diff_of 'touch /etc/group'
diff_of 'echo >>/etc/group; touch -r /etc/passwd /etc/group'
diff_of 'chmod 711 /root; touch /tmp'
diff_of 'rm /etc/group; mkdir /etc/group'
diff_of 'mv /etc/group /etc/h; mv /etc/h /etc/group'
diff_of 'mv /etc/group /etc/h'
