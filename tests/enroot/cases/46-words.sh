enroot create -n a box.sqsh 2>/dev/null
words() {
	printf '%s\n' 'A=${HOME}' 'B="quoted"  ' "C=\"mixed'" 'D=""' "E='" 'F=" x "y' "G=' x '" 'H="x" y' '  I=$HOME'
}
{
	echo 'environ() {'
	printf "\tcat <<'EOT'\n"
	words
	printf 'EOT\n}\n'
} >one
t enroot start --conf one a sh -c 'env | grep "^[A-I]=" | sort | sed "s/$/./"'
mkdir -p .config/enroot/{environ.d,hooks.d}
words >.config/enroot/environ.d/10-a.env
t enroot start a sh -c 'env | grep "^[A-I]=" | sort | sed "s/$/./"'
rm .config/enroot/environ.d/10-a.env
hook=.config/enroot/hooks.d/10-a.sh
{
	printf '#!/bin/bash\ncat >>"$ENROOT_ENVIRON" <<"EOT"\n'
	words
	echo EOT
} >$hook
chmod +x $hook
t enroot start a sh -c 'env | grep "^[A-I]=" | sort | sed "s/$/./"'
# which process it is, told to a hook
cat >$hook <<-'EOT'
	#!/bin/bash
	sed -n "s/^NSpid:\t$ENROOT_PID/its/p" /proc/$ENROOT_PID/status >&2
EOT
t enroot start a true
t enroot start --pid a true
# what a hook begins with
echo '[[ $ENROOT_ROOTFS == /* ]] && echo plain ${BASH_VERSION:+bash} >&2' >$hook
t enroot start a true
# what scripts set
cat >$hook <<-'EOT'
	#!/bin/bash
	printf '%s|' "${ENROOT_TWO-unset}" "${ENROOT_THREE-unset}" "${ENROOT_FOUR-unset}" "${ENROOT_FIVE-unset}" >&2
	echo >&2
EOT
printf '%s\n' '#ENROOT_TWO=no' '#ENROOT_THREE a\ \ b' "#ENROOT_FOUR=\$(echo '\$HOME')" '#ENROOT_FIVE=0' >two
t enroot start --conf two a true
ENROOT_TWO=y t enroot start --conf two a true
# a directory that is told from where the caller is
rm $hook
mkdir -p etc/{environ.d,mounts.d,hooks.d}
echo 'A=relative' >etc/environ.d/10-a.env
echo 'tmpfs /made tmpfs x-create=dir' >etc/mounts.d/10-a.fstab
printf '#!/bin/bash\necho "B=hook" >>"$ENROOT_ENVIRON"\n' >etc/hooks.d/10-a.sh
chmod +x etc/hooks.d/10-a.sh
ENROOT_CONFIG_PATH=etc t enroot start a sh -c 'echo $A $B; ls -d /made'
