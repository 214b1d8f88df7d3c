enroot create -n a box.sqsh 2>/dev/null
t enroot start a true
t enroot start a false
t enroot start a sh -c 'exit 3'
t enroot start a sh -c 'kill -9 $$'
t enroot start a sh -c 'kill -TERM $$'
enroot start a nosuch >/dev/null 2>&1; echo $?
enroot start a /etc >/dev/null 2>&1; echo $?
enroot start a /etc/passwd >/dev/null 2>&1; echo $?
t enroot start nobody true
t enroot start x/y true
t enroot start "" true
t enroot start ./a true
t enroot start a "echo one two"
t enroot start a "echo one; echo two"
t enroot start a echo "one  two" 'a"b' '$HOME'
t enroot start a < <(echo 'echo from the shell; exit 4')
printf 'echo a script "$@"\n' >script
t enroot start -m "$PWD/script:/script" a /script x 'y z'
t enroot start a 'echo $0 $1' b c
t enroot start box.sqsh sh -c 'exit 5'
t enroot start "$PWD/box.sqsh" echo direct
t enroot start -- a echo -- x
t enroot start --pid a sh -c 'echo $$; exit 6'
