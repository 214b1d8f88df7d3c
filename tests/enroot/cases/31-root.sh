enroot create -n a box.sqsh 2>/dev/null
t enroot start a sh -c 'touch /new'
t enroot start --rw a touch /new
t enroot start a ls /new
t enroot start -w -r a sh -c 'rm /new; mkdir /d; id -u; id -g'
t enroot start a ls -d /d /new
t enroot start --root a id
t enroot start -r a sh -c 'echo $HOME; pwd; whoami'
ENROOT_REMAP_ROOT=0 t enroot start a id -u
ENROOT_REMAP_ROOT=no t enroot start a sh -c 'id -u | grep -vc "^0$"'
ENROOT_REMAP_ROOT=off t enroot start a id -u
ENROOT_ROOTFS_WRITABLE=yes t enroot start a touch /env
t enroot start a ls /env
t enroot start --rw box.sqsh touch /image
t enroot start box.sqsh ls /image
t enroot start a sh -c 'cat /proc/self/uid_map | wc -l; cat /proc/self/setgroups; grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status; grep CapBnd /proc/self/status'
t enroot start -r a sh -c 'cat /proc/self/uid_map | wc -l; cat /proc/self/setgroups; grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status; grep Seccomp: /proc/self/status'
t enroot start -r -w a sh -c 'touch /f && chown 5:5 /f && stat -c %u:%g /f; chgrp 7 /f; echo $?'
enroot create -n users box.sqsh 2>/dev/null
enroot start -w -r users rm /etc/passwd /etc/group
t enroot start -r users sh -c 'whoami; id -gn; echo $HOME $USER $SHELL'
