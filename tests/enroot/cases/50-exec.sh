enroot create -n a box.sqsh 2>/dev/null
enroot start -r -e A=start a sh -c 'cd /etc; echo $$ >/dev/shm/sbx-exec-pid; exec sleep 300' &
pid=$!
until enroot exec "$pid" sh -c 'cat /proc/$PPID/comm' >/dev/null 2>&1 && [ "$(cat /proc/$pid/comm)" = sleep ]; do :; done
rm -f /dev/shm/sbx-exec-pid
e() { printf '$ exec'; printf ' %s' "$@"; echo; enroot exec "${W[@]}" "$pid" "$@"; echo "= $?"; }
W=()
e sh -c 'echo $A; id -u; pwd'
e sh -c 'exit 9'
e sh -c 'kill -9 $$'
W=(-e B=2 --env=C=3 -e A)
A=mine e sh -c 'echo $A $B $C'
W=(-e NOT_SET)
e sh -c 'echo ${NOT_SET-unset}.'
W=(-e 1x=2)
e true 2>&1
W=(--)
e echo -n x
W=()
e nosuch 2>&1
e /etc 2>&1
t enroot exec 999999999 true
t enroot exec nobody true
t enroot exec "" true
enroot exec -- "$pid" echo hi
enroot list -f | sed '1d; /^<unknown>/,$d' | awk -v p=$pid '{ print $1, ($2 == p), $3, $4, (NF > 8), $NF }'
kill "$pid"; wait "$pid"; echo $?
enroot list -f | sed 's/  */ /g; /^<unknown>/,$d'
