unsquashfs -quiet -no-progress -d tree rc.sqsh >/dev/null 2>&1
mkdir -p tree/vol/deep
echo in-image >tree/vol/file
printf '%s\n' '${ENROOT_ROOTFS}/vol /vol none x-create=dir,bind,rw,nosuid,nodev' >tree/etc/fstab
printf '%s\n' 'PATH=/bin' 'A=${NOSUCH}.' 'B=${NOSUCH:-x}' 'C=$NOSUCH' 'D=${' 'E=${}' >tree/etc/environment
mksquashfs tree vol.sqsh -quiet -no-progress -all-root >/dev/null 2>&1
enroot create vol.sqsh 2>/dev/null
echo 'cat /vol/file; echo written >/vol/new && cat /vol/new; touch /no' >write
t enroot start --rc write vol
echo 'ls /vol' >look
t enroot start --rc look vol.sqsh
echo 'echo "$A|$B|$C|$D|$E"' >show
t enroot start --rc show vol
cat >conf <<-'EOT'
	environ() {
	    echo "SET=${ENROOT_ROOTFS:+rootfs}${ENROOT_PID:+pid}${ENROOT_ENVIRON:+environ}${ENROOT_MOUNTS:+mounts}"
	}
	mounts() {
	    echo "${ENROOT_ROOTFS}/vol /second none x-create=dir,bind"
	}
EOT
echo 'echo $SET; cat /second/file' >places
t enroot start --conf conf --rc places vol
mkdir -p .config/enroot/mounts.d
echo '${ENROOT_ROOTFS}/vol /third none x-create=dir,bind' >.config/enroot/mounts.d/10.fstab
echo 'cat /third/file' >third
t enroot start --rc third vol
