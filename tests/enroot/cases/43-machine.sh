enroot create -n a box.sqsh 2>/dev/null
same() { [ "$(enroot start "${@:2}" a readlink "/proc/self/ns/$1")" = "$(readlink "/proc/self/ns/$1")" ] && echo same || echo other; }
for ns in net ipc uts pid mnt user cgroup; do echo "$ns $(same $ns)"; done
for ns in uts pid; do echo "--$ns $(same $ns --$ns)"; done
# a smallest Debian may have none
alike() { [ ! -e "$1" ] || enroot start a cat "$1" | cmp - "$1"; }
alike /etc/hosts && echo hosts
alike /etc/resolv.conf && echo resolv
[ "$(enroot start a hostname)" = "$(hostname)" ] && echo hostname
t enroot start a sh -c 'echo x >/etc/hosts'
t enroot start a sh -c 'echo x >/tmp/f && cat /tmp/f'
t enroot start a sh -c 'echo x >/dev/shm/sbx-f && cat /dev/shm/sbx-f && rm /dev/shm/sbx-f'
t enroot start --pid a sh -c 'echo $$'
echo mine >file
ENROOT_MOUNT_HOME=y t enroot start a sh -c 'echo $HOME; pwd; cat file'
ENROOT_MOUNT_HOME=y t enroot start -r a sh -c 'echo $HOME; pwd; cat file'
t enroot start a sh -c 'umask'
t enroot start a sh -c 'whoami; cd; pwd; echo $HOME $USER $LOGNAME; touch /tmp/x; id -un'
t enroot start -r a sh -c 'whoami; echo $HOME $USER'
