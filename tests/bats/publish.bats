# SPDX-License-Identifier: Apache-2.0
# -p and -P: ports of the machine that lead into a container.
load lib

# published ARGS...: starts a container with a port of the machine, $port, published to its port 80. Not an ephemeral
# port, which anybody might get.
published() {
	for _ in {1..50}; do
		port=$((20000 + RANDOM % 10000))
		if sbx run -d --name "$c" -p "127.0.0.1:$port:80" "$@" 2>refused; then
			return
		fi
		grep -q "port is already allocated" refused
		sbx rm "$c"
	done
	return 1
}

# says PORT WORDS: sends the words there, and prints the answer until its end; fails if there is none.
says() {
	python3 - "$@" <<-'END'
		import socket, sys
		s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		s.sendall(sys.argv[2].encode())
		s.shutdown(socket.SHUT_WR)
		answer = b"".join(iter(lambda: s.recv(65536), b""))
		print(answer.decode())
		sys.exit(not answer)
	END
}

answers() {
	[ "$(says "$1" hello 2>&1)" = hello ]
}

serves_pages() {
	[[ $(says "$port" $'GET /hostname HTTP/1.0\r\n\r\n' 2>&1) == HTTP/1.?\ 200* ]]
}

# echoes ADDRESS PORT CLIENTS: each client sends datagrams there, and gets its own back, from the same address.
echoes() {
	python3 - "$@" <<-'END'
		import socket, sys
		family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
		clients = [socket.socket(family, socket.SOCK_DGRAM) for i in range(int(sys.argv[3]))]
		def hears(s, data):
		    for _ in range(50):  # some may be lost
		        s.send(data)
		        try:
		            while s.recv(65536) != data:
		                pass
		            return True
		        except TimeoutError:
		            pass
		        except ConnectionRefusedError:
		            return False
		for s in clients:
		    s.settimeout(0.2)
		    s.connect((sys.argv[1], int(sys.argv[2])))
		words = [b"%d of %d" % (i, n) for n in range(2) for i in range(len(clients))]
		ok = all(hears(clients[i % len(clients)], word) for i, word in enumerate(words))
		sys.exit(not ok or not all(hears(clients[0], b"x" * n) for n in (0, 1, 60000)))
	END
}

udp_echo='
import socket, sys
address = sys.argv[1]
s = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
s.bind((address, 53))
while True:
    data, who = s.recvfrom(65536)
    s.sendto(data, who)'

# the pid of the process that accepts connections
accepter() {
	pgrep -P "$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status")" -x sbx-ports
}

@test "who passes on has no rights in the container whose network it is in, and cannot be looked at" {
	published "$box" sleep 100000
	pid=$(accepter)
	equal "$(awk '/^Cap(Inh|Prm|Eff|Amb)|^NoNewPrivs/ { print $2 }' "/proc/$pid/status" | tr '\n' ' ')" \
		"0000000000000000 0000000000000000 0000000000000000 0000000000000000 1 "
	equal "$(stat -c %u "/proc/$pid/environ")" 0 # root's, since it is not dumpable
}

@test "what is sent to a published port reaches the container, and its answer comes back" {
	published "$py" python3 -c '
import socketserver
class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        while data := self.request.recv(65536):
            self.request.sendall(data)
class Server(socketserver.ThreadingTCPServer):
    request_queue_size = 100
Server(("", 80), Echo).serve_forever()'
	eventually answers "$port"
	equal "$(sbx port "$c")" "80/tcp -> 127.0.0.1:$port"
	equal "$(sbx port "$c" 80/tcp)" "127.0.0.1:$port"
	equal "$(sbx ps --filter "name=$c" --format '{{.Ports}}')" "127.0.0.1:$port->80/tcp"
	equal "$(sbx inspect -f '{{json .NetworkSettings.Ports}}' "$c")" \
		"{\"80/tcp\":[{\"HostIp\":\"127.0.0.1\",\"HostPort\":\"$port\"}]}"
	equal "$(sbx ps -q --no-trunc --filter "publish=$port")" "$(sbx inspect -f '{{.Id}}' "$c")"
	python3 - "$port" <<-'END'
		import hashlib, os, socket, sys, threading
		def talk(n):
		    data = os.urandom(n)
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    def send():
		        s.sendall(data)
		        s.shutdown(socket.SHUT_WR)
		    t = threading.Thread(target=send)
		    t.start()
		    if b"".join(iter(lambda: s.recv(65536), b"")) != data:
		        os._exit(1)
		    t.join()
		talk(5000000)
		all = [threading.Thread(target=talk, args=(20000 + i,)) for i in range(30)]
		[t.start() for t in all]
		[t.join() for t in all]
	END
	sbx stop -t 0 "$c"
	equal "$(sbx port "$c")" ""
	run ! says "$port" gone
	sbx start "$c"
	equal "$(sbx port "$c")" "80/tcp -> 127.0.0.1:$port"
	eventually answers "$port"
}

@test "the same port said twice is refused at the start, two of any port are two" {
	sbx create --name "$c" -p 127.0.0.1:23456:80 -p 127.0.0.1:23456:80 "$box" true
	run -1 --separate-stderr sbx start "$c"
	contains "$stderr" "): Bind for 127.0.0.1:23456 failed: port is already allocated"
	sbx run -d --name "$c-2" -p 127.0.0.1::80 -p 127.0.0.1::80 "$box" sleep 100000
	equal "$(sbx port "$c-2" 80 | sort -u | wc -l)" 2
	sbx rm -f "$c-2"
}

@test "a port that is taken keeps a container from starting, and a range takes the next" {
	published "$box" sleep 100000
	run -125 --separate-stderr sbx run --name "$c-2" -p "127.0.0.1:$port:81" "$box" touch /never
	contains "$stderr" "driver failed programming external connectivity on endpoint $c-2 ("
	contains "$stderr" "): Bind for 127.0.0.1:$port failed: port is already allocated"
	equal "$(sbx inspect -f '{{.State.Status}}' "$c-2")" created
	equal "$(sbx diff "$c-2")" ""
	sbx run -d --name "$c-3" -p "127.0.0.1:$port-$((port + 50)):80" "$box" sleep 100000
	other=$(sbx port "$c-3" 80)
	[ "${other#127.0.0.1:}" -gt "$port" ]
	sbx rm -f "$c"
	sbx start "$c-2"
}

@test "a port that is not said is one that is free, and -P means all that are exposed" {
	sbx run -d --name "$c" -P --expose 80 --expose 81/udp -p 127.0.0.1::82 "$box" nc -ll -p 80 -e cat
	sbx port "$c" | grep -E '^80/tcp -> 0.0.0.0:[0-9]+$'
	sbx port "$c" | grep -E '^82/tcp -> 127.0.0.1:[0-9]+$'
	contains "$(sbx ps --filter "name=$c" --format '{{.Ports}}')" "81/udp, "
	port=$(sbx port "$c" 80 | sed -n 's/^0.0.0.0://p')
	eventually answers "$port"
	v6=$(sbx port "$c" 80 | sed -n 's/^\[::\]://p')
	[ -z "$v6" ] || equal "$v6" "$port"
}

@test "what listens on the container's localhost alone, --init and other users are reached as well" {
	needs_static # its init
	published --init -u 1000 "$box" httpd -f -p 127.0.0.1:80 -h /etc
	eventually serves_pages
}

@test "datagrams to a published port of udp reach the container, and each client hears its own answers" {
	sbx run -d --name "$c" -p 53/udp "$py" python3 -c "$udp_echo" 0.0.0.0
	udp=$(sbx port "$c" 53/udp | sed -n 's/^0.0.0.0://p')
	contains "$(sbx port "$c")" "53/udp -> 0.0.0.0:$udp"
	contains "$(sbx ps --filter "name=$c" --format '{{.Ports}}')" "0.0.0.0:$udp->53/udp"
	equal "$(sbx inspect -f '{{json (index .NetworkSettings.Ports "53/udp" 0)}}' "$c")" \
		"{\"HostIp\":\"0.0.0.0\",\"HostPort\":\"$udp\"}"
	eventually echoes 127.0.0.1 "$udp" 1
	echoes 127.0.0.9 "$udp" 3   # answers come from there, too
	echoes 127.0.0.1 "$udp" 600 # more than the forwarder remembers
	! sbx port "$c" 53/udp | grep -q '^\[::\]' || echoes ::1 "$udp" 3
	run -125 --separate-stderr sbx run --name "$c-2" -p "127.0.0.1:$udp:81/udp" "$box" touch /never
	contains "$stderr" "): Bind for 127.0.0.1:$udp failed: port is already allocated"
	sbx stop -t 0 "$c"
	run ! echoes 127.0.0.1 "$udp" 1
	sbx start "$c"
	eventually echoes 127.0.0.1 "$(sbx port "$c" 53/udp | sed -n 's/^0.0.0.0://p')" 1
}

@test "datagrams reach what listens on the container's localhost of the other protocol alone" {
	[ -n "$(sbx run --rm "$box" cat /proc/net/if_inet6)" ] || skip "no package gives it: IPv6"
	sbx run -d --name "$c" -p 127.0.0.1::53/udp "$py" python3 -c "$udp_echo" ::1
	udp=$(sbx port "$c" 53/udp)
	eventually echoes 127.0.0.1 "${udp#127.0.0.1:}" 2
}

# The first 1024 are passed on, as the echo proves, before the others are tried.
@test "a port that is full of connections holds up no other, and takes the next when one ends" {
	[ "$(ulimit -Hn)" -ge 8192 ] || skip "no package gives it: so many descriptors"
	published -p 127.0.0.1::81 --ulimit nofile=4096 "$py" python3 -c '
import asyncio
async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
    writer.close()
async def main():
    await asyncio.gather(*[(await asyncio.start_server(echo, "", p, backlog=2048)).serve_forever() for p in (80, 81)])
asyncio.run(main())'
	eventually answers "$port"
	other=$(sbx port "$c" 81/tcp)
	eventually answers "${other##*:}"
	timeout 120 python3 - "$port" "${other##*:}" <<-'END'
		import resource, socket, sys
		resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
		full, other = int(sys.argv[1]), int(sys.argv[2])
		connect = lambda port: socket.create_connection(("127.0.0.1", port))
		def echoes(s):
		    s.sendall(b"x")
		    return s.recv(1) == b"x"
		ones = [connect(full) for _ in range(1100)]
		first, last = ones[:1024], ones[1024:]
		assert all([echoes(s) for s in first])
		beside = connect(other)
		assert echoes(beside)
		with open("/proc/net/tcp") as f:
		    next(f)
		    timers = [words[5][:2] for words in map(str.split, f)
		              if words[1].endswith(f":{other:04X}") and words[2].endswith(f":{beside.getsockname()[1]:04X}")]
		assert timers == ["02"], f"{timers}: a client that is gone is not found out"
		for gone, s in zip(first, last):
		    gone.close()
		    assert echoes(s)
	END
}

@test "a container that is restarted is reached again" {
	published --restart always "$box" nc -l -p 80 -e cat
	eventually answers "$port"
	eventually answers "$port"
}

# The side that closes first has its port in TIME_WAIT for a minute, so SO_REUSEADDR is needed.
@test "a container that closed its connections itself takes its port again at once" {
	published "$box" nc -ll -p 80 -e echo hello
	is_told() {
		equal "$(python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
print(b"".join(iter(lambda: s.recv(100), b"")).decode())' "$port" 2>/dev/null)" hello
	}
	eventually is_told
	eventually grep -qiE "^ *[0-9]+: 0100007F:$(printf %04X "$port") [0-9A-F:]+ 06 " /proc/net/tcp
	sbx restart -t 0 "$c"
	eventually is_told
}

@test "with a killed supervisor the port is free" {
	published "$box" nc -ll -p 80 -e cat
	accepter
	kill -9 "$(awk '/^PPid:/ { print $2 }' "/proc/$(sbx inspect -f '{{.State.Pid}}' "$c")/status")"
	eventually ended "$c"
	equal "$(sbx ps -a --filter "name=$c" --format '[{{.Ports}}]')" "[]"
	eventually sbx start "$c"
	eventually answers "$port"
}

@test "without a published port nobody accepts; where none can be, it is said" {
	sbx run -d --name "$c" --expose 80 "$box" sleep 100000
	run -1 accepter
	sbx run -d --name "$c-none" --network none -p 80 "$box" sleep 100000
	equal "$(sbx port "$c-none")" ""
	run -0 --separate-stderr sbx run --rm --network host -p 80 "$box" true
	equal "$stderr" "WARNING: Published ports are discarded when using host network mode"
	SBX_NETWORK=host run -0 --separate-stderr sbx run --rm -p 80 "$box" true
	equal "$stderr" "WARNING: Published ports are discarded when using host network mode"
	run -0 --separate-stderr sbx run --rm -p 80/sctp -p 80/udp "$box" true
	equal "$stderr" "WARNING: Published ports of sctp lead nowhere here: tcp and udp are passed on"
	run -125 --separate-stderr sbx run --rm -p 192.0.2.1:8080:80 "$box" true
	contains "$stderr" "listen tcp 192.0.2.1:8080: bind: cannot assign requested address"
	if [ "$(cat /proc/sys/net/ipv4/ip_unprivileged_port_start)" -gt 80 ]; then
		run -125 --separate-stderr sbx run --rm -p 80:80 "$box" true
		contains "$stderr" "cannot expose privileged port 80, you can add 'net.ipv4.ip_unprivileged_port_start=80'"
	fi
}
