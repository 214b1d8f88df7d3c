export ENROOT_DATA_PATH=$HOME/elsewhere
t enroot create -n a box.sqsh
ls elsewhere
unset ENROOT_DATA_PATH
t enroot list
XDG_DATA_HOME=$HOME/xdg t enroot list
ls xdg
ENROOT_UNSHARE_PID=y ENROOT_DATA_PATH=$HOME/elsewhere t enroot start a sh -c 'echo $$'
ENROOT_LOGIN_SHELL=n ENROOT_DATA_PATH=$HOME/elsewhere t enroot start a pwd
ENROOT_X=1 ENROOT_Y=false ENROOT_Z=no enroot info | grep -E '^(Env|Enroot)|ENROOT_([XYZ]|ALLOW|REMAP|ROOTFS_W|FORCE|VERSION|NATIVE|MAX_CONN|CONNECT|TRANSFER|BUNDLE|CONFIG_P|CACHE|DATA|RUNTIME)'
ls -ld .cache/enroot .local/share/enroot | cut -c1-10
ENROOT_TEMP_PATH= ENROOT_DATA_PATH= ENROOT_CACHE_PATH= ENROOT_CONFIG_PATH= XDG_DATA_HOME= enroot info |
	grep -E '(TEMP|DATA|CACHE|CONFIG)_PATH'
ENROOT_DATA_PATH= t enroot create -n empty box.sqsh
ENROOT_LOGIN_SHELL= t enroot start empty pwd
export ENROOT_LOGIN_SHELL=y
t enroot start --rw empty sh -c 'echo export FROM=profile >/etc/profile'
t enroot start empty sh -c 'echo "from $FROM"'
t enroot start empty 'echo "from $FROM"'
