#!/bin/sh
# what top makes of a process whose name commands a terminal, ends a line and is no text
# tags: top
# weight: rare
trap '$DOCKER rm -f $N >/dev/null 2>&1' EXIT
$DOCKER run -d --name $N --network none $IMAGE python3 -c 'import time
open("/proc/self/comm", "wb").write(b"\x1b[2J\nx\x7f\xff\xc3\xa9")
print("named", flush=True)
time.sleep(1000)' "$(printf 'a\033[31mred\nline\ttab \303\251 \302\233 \177')" >/dev/null
until $DOCKER logs $N | grep -q named; do :; done
for fields in pid,comm pid,ucmd pid,ucomm pid,args pid,command; do
	$DOCKER top $N -o $fields | sed 's/^[0-9]* */N /' | cat -v
done
