#!/bin/sh
# printf of templates: each verb with its flags, a width and a precision, on each kind of value; Go's words where they do not fit
# tags: inspect,format
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER create --name $N --network none --label k=v --label 'q=a "b" \' --memory 64m --health-cmd true --health-interval 1s $IMAGE sh -c 'echo hi' >/dev/null
verbs='%v|%+v|%#v|%T|%q|%+q|%#q|%x|% x|%#x|%X|%# x|%d|%5d|%-5d,|%05d|%+d|% d|%s|%10s,|%-10s,|%.2s|%05s|%.3x|%t|%8t|%c|%U|%#U|%o|%#o|%O|%b|%#b|%e|%f|%.2f|%g|%G|%#g|%8.3f|%+.1f|%08.2f|%-8.2f,|% f|%%|%z|%w|%v %v|%[1]v|%[2]v|%[1]d %[1]v|%[x]d|%[1|%*d|%.*d|x|%!|%|%6.2v|%08v|%-8v,|%.1q|%20q|%F|%E|%10T,|%.0d|%.5d|%6.5d|%+08d|%x %X'
try() {
	form=$(echo "$verbs" | tr '|' '\n' | while IFS= read -r verb; do printf '%s -> {{printf "%s" %s}}\n' "$verb" "$verb" "$1"; done)
	echo "# $1"
	$DOCKER inspect -f "$form" $N
}
try '.Config.Cmd'
try '.Config.Labels'
try '.HostConfig.Memory'
try '.Config.Tty'
try '(index .Config.Labels "q")'
try '.Config.Healthcheck.Interval'
try '.HostConfig.Binds'
try '.HostConfig.NetworkMode'
try '1.5'
try '-2.25'
try '1e3'
try '123456789.0'
try '1e-7'
try '-7'
try '0'
try 'true'
try 'nil'
try '"str"'
try '`a"b`'
try '"\n\x01"'
try ''\''x'\'''
try '128512'
echo "# several arguments"
while read -r form; do
	$DOCKER inspect -f "{{$form}}" $N 2>&1
done <<'END'
printf "%d %d" 1
printf "%*d,%-*d,%.*f" 5 7 5 7 2 1.23456
printf "%[2]d %[1]d" 1 2
printf "%[3]*.[2]*[1]f" 12.0 2 6
printf "%[2]*d" 1 2
printf "%[1]*d" 5
printf "%d" 1 2 "a" nil .Config.Cmd
printf "%*d," -5 7
printf "%.*d" -5 7
printf "%*s" "a" "b"
printf "%[3]d %d" 1 2
printf "%[1]2d" 1
print 1 2 "a" "b" 3.0 nil
println 1.0 "a" .Config.Cmd
print 1000000.0 1e21 0.0001 1e-5
json 1e21
json 1e-7
json 1000000.0
printf "%+v" .Config.Healthcheck
printf "%-20v," .Config.Cmd
END
