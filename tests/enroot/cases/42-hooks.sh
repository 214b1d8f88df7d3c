enroot create -n a box.sqsh 2>/dev/null
mkdir -p .config/enroot/hooks.d dir
echo file >dir/file
cat >.config/enroot/hooks.d/10-a.sh <<-'EOT'
	#!/bin/bash
	echo one >"$ENROOT_ROOTFS/order"
	echo "C=hook" >>"$ENROOT_ENVIRON"
	echo "$HOME/dir /hooked none x-create=dir,bind" >>"$ENROOT_MOUNTS"
	mkdir -p "$ENROOT_ROOTFS/one/two"
	echo "$ENROOT_ROOTFS/hooked /moved none x-create=dir,x-move" >>"$ENROOT_MOUNTS"
	echo "to stdout"
	[ "$(dirname "$ENROOT_ENVIRON")" = "$(dirname "$ENROOT_MOUNTS")" ] || exit 9
	kill -0 "$ENROOT_PID" || exit 8
EOT
cat >.config/enroot/hooks.d/20-b.sh <<-'EOT'
	#!/bin/bash
	echo two >>"$ENROOT_ROOTFS/order"
EOT
printf '#!/bin/sh\necho never >>"$ENROOT_ROOTFS/order"\n' >.config/enroot/hooks.d/30-plain.sh
printf '#!/bin/sh\necho never >>"$ENROOT_ROOTFS/order"\n' >.config/enroot/hooks.d/40-other
chmod +x .config/enroot/hooks.d/10-a.sh .config/enroot/hooks.d/20-b.sh .config/enroot/hooks.d/40-other
t enroot start a sh -c 'cat /order; echo $C; cat /moved/file; ls -d /hooked'
t enroot start -e C=typed a sh -c 'echo $C'
# they may take away
printf '#!/bin/sh\nsed -i "/^A=/d; s/^B=.*/B=changed/" "$ENROOT_ENVIRON"\n' >.config/enroot/hooks.d/45-edits.sh
chmod +x .config/enroot/hooks.d/45-edits.sh
t enroot start -e A=1 -e B=2 -e D=4 a sh -c 'echo ${A-none} $B $C $D'
printf '#!/bin/sh\necho X=1 >"$ENROOT_ENVIRON"\n' >.config/enroot/hooks.d/45-edits.sh
t enroot start -e A=1 a sh -c 'echo ${A-none} $X ${PATH:+path}; id -u >/dev/null && echo found'
rm .config/enroot/hooks.d/45-edits.sh
# they may mount
cat >.config/enroot/hooks.d/45-mounts.sh <<-'EOT'
	#!/usr/bin/env python3
	import ctypes, os
	where = os.environ["ENROOT_ROOTFS"] + "/etc"
	assert ctypes.CDLL(None).mount(b"none", where.encode(), b"tmpfs", 0, None) == 0
	open(where + "/hooked", "w").write("mounted\n")
EOT
chmod +x .config/enroot/hooks.d/45-mounts.sh
t enroot start a cat /etc/hooked
t enroot start --root a cat /etc/hooked
rm .config/enroot/hooks.d/45-mounts.sh
cat >conf <<-'EOT'
	hooks() {
		sed -n 's/CapEff:.*[1-9a-f].*/some/p' /proc/self/status >"$ENROOT_ROOTFS/may"
	}
EOT
t enroot start --conf conf a cat /may
t enroot start a grep CapEff /proc/self/status
# they see who the caller is, and his control groups
cat >.config/enroot/hooks.d/45-sees.sh <<-'EOT'
	#!/bin/bash
	read -r _ uid _ </proc/self/uid_map
	read -r _ gid _ </proc/self/gid_map
	[ "$uid $gid $(readlink /proc/self/ns/cgroup)" = "$CALLER" ] && echo SAW=caller >>"$ENROOT_ENVIRON"
EOT
chmod +x .config/enroot/hooks.d/45-sees.sh
export CALLER="$(id -u) $(id -g) $(readlink /proc/self/ns/cgroup)"
t enroot start a sh -c 'echo $SAW'
t enroot start --root a sh -c 'echo $SAW'
rm .config/enroot/hooks.d/45-sees.sh
printf '#!/bin/sh\nexit 7\n' >.config/enroot/hooks.d/50-fails.sh
chmod +x .config/enroot/hooks.d/50-fails.sh
enroot start a true >/dev/null 2>&1; echo $?
