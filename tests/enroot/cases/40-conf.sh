enroot create rc.sqsh 2>/dev/null
mkdir dir
echo data >dir/file
cat >conf <<-EOT
	#ENROOT_REMAP_ROOT=y
	# ENROOT_ROOTFS_WRITABLE y
	environ() {
	    echo "X=1"
	    env | grep ^HOMEX= || :
	}
	mounts() {
	    echo "$PWD/dir /data"
	    echo "$PWD/dir/file /one/file x-create=auto,bind,ro"
	}
	hooks() {
	    echo hook >"\${ENROOT_ROOTFS}/hooked"
	    [ -n "\$ENROOT_PID" ] && [ -e "\$ENROOT_ENVIRON" ] && [ -e "\$ENROOT_MOUNTS" ] && echo "H=1" >>"\$ENROOT_ENVIRON"
	    echo "$PWD/dir /by-hook x-create=dir,bind" >>"\$ENROOT_MOUNTS"
	}
	rc() {
	    echo "rc \$X \$H \$#" "\$@"
	    cat /data/file /one/file /hooked /by-hook/file
	    id -u
	    touch /written && echo written
	}
EOT
t enroot start --conf conf rc a b
echo 'echo $X' >own
t enroot start -c conf --rc own rc
t enroot start --conf nothere rc
t enroot start --conf dir rc
printf 'mounts() {\n' >broken
t enroot start --conf broken rc
printf 'environ() { echo A=1; }\n' >says
echo 'echo $A' >show
t enroot start --conf says --rc show rc
printf '#ENROOT_ROOTFS=rc\nrc() {\n\techo batch "$@"\n}\n' >script
t enroot batch script one two
t enroot batch -- script
printf '#ENROOT_REMAP_ROOT=y\n' >none
t enroot batch none true
t enroot batch nothere true
ENROOT_ROOTFS=rc t enroot batch none word
printf '#!%s batch\n#ENROOT_ROOTFS=rc\n' "$(command -v enroot)" >self
chmod +x self
t ./self shebang words
