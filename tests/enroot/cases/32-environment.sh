enroot create -n a box.sqsh 2>/dev/null
enroot create rc.sqsh 2>/dev/null
export FOO=host BAR=bar
t enroot start --rc own rc
see() { enroot start "$@" env | grep -vE '^(PWD|OLDPWD|SHLVL|PATH|_|SHELL|USER|LOGNAME|LANG|MAIL|MOTD_SHOWN|PS1)=' | sort; }
t see a
t see -e BAR a
t see -e X=1=2 --env=Y= -e NOTSET a
t see -e "Z=two words" -e 'Q="quoted"' -e "S='single'" -e 'D=${FOO}' a
t see -e "BACK=a\\b" -e 'HASH=a#b' -e 'C=#c' a
t enroot start -e 1x=2 a true
t enroot start -e a-b=2 a true
t enroot start -e =2 a true
t enroot start -e ENROOT_X=1 a sh -c 'echo "[$ENROOT_X]"'
mkdir -p .config/enroot/environ.d
printf '%s\n' 'A=${FOO}' '# comment' 'B="quoted words"' "C='single'" 'D=$FOO' '  E=indented' 'F' 'G=' 'ENROOT_H=1' 'I=a # b' 'J=${NOSUCH}x' '1K=2' 'L.M=3' 'N =4' 'O= 5' 'P="unclosed' 'Q=a"b"c' 'R=\$x' 'S=a\\b' >.config/enroot/environ.d/10.env
t see a
export LC_X=1
t enroot start -e HOME=/tmp a sh -c 'echo $HOME; pwd'
t enroot start -e PATH=/opt:/bin -e ENV= a sh -c 'echo ok'
