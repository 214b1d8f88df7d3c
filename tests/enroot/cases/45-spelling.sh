enroot create rc.sqsh 2>/dev/null
printf 'rc () {\n\techo spaced "$@"\n}\n' >one
t enroot start --conf one rc a b
printf 'function rc {\n\techo function "$@"\n}\n' >two
t enroot start --conf two rc a b
printf 'A=top\nenviron()\n{\n\techo "X=$A"\n}\nrc ( )\n{\n\techo "$X" "$@"\n}\n' >three
t enroot start --conf three rc 'a  b'
printf 'mounts () { echo "${ENROOT_ROOTFS}/bin /more none bind,x-create=dir"; }\nrc() { ls -d /more/sh; }\n' >four
t enroot start --conf four rc
printf 'if true; then\n\trc() { echo inside; }\nfi\nhooks () { echo hook >"$ENROOT_ROOTFS/hooked"; }\n' >five
t enroot start --conf five rc
printf 'rc() {\n\tcat <<-E\n\t\thi $1\n\tE\n}\n' >six
t enroot start --conf six rc there
t enroot start --conf /dev/null rc
