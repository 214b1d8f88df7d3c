enroot create rc.sqsh 2>/dev/null
t enroot start rc
t enroot start rc x 'y z'
t enroot start rc.sqsh one
echo 'echo mine "$@" $FROM' >own
t enroot start --rc own rc a b
t enroot start --rc=own rc
t enroot start --rc nothere rc
t enroot start --rc "$PWD" rc
: >empty
t enroot start --rc empty rc sh -c 'echo empty'
mkfifo pipe
echo 'echo fifo "$@"' >pipe &
t enroot start --rc pipe rc a b
printf '#!/bin/sh\nexit 9\n' >nine
t enroot start --rc nine rc
t enroot start rc sh -c 'echo as words'
echo "echo 'exec \"\$@\"' >/etc/rc.local" >local
t enroot start -w --rc local rc
t enroot start rc sh -c 'echo local; pwd'
t enroot start rc sh -c 'cat /etc/rc | wc -l'
