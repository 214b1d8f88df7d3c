# SPDX-License-Identifier: Apache-2.0
import os
import signal
import socket
import sys
import threading
import time

from client import check, client, refused

c = client()
k = c.containers.run("box", "sleep 1000", name=sys.argv[1], detach=True)

check(tuple(k.exec_run("echo hi")), (0, b"hi\n"))
check(tuple(k.exec_run(["sh", "-c", "echo o; echo e >&2; exit 3"], demux=True)), (3, (b"o\n", b"e\n")))
r = k.exec_run("nosuch")
check(r.exit_code, 127)
assert b'exec: "nosuch": executable file not found in $PATH' in r.output, r.output
check(k.exec_run(["sh", "-c", "echo \"$A\"; pwd"], environment={"A": "a\nb"}, workdir="/tmp").output, b"a\nb\n/tmp\n")
# a variable must have a name; a name alone takes away what the container has, and none of those beside it
r = k.exec_run("true", environment=["=x"])
check(r.exit_code, 126)
assert b"environment variable name can't be empty: \"=x\"" in r.output, r.output
said = k.exec_run("/bin/env", environment=["A=1", "A", "", "B=2", "HOSTNAME"]).output.split()
check(sorted(line for line in said if line[:4] not in (b"PATH", b"HOME")), [b"A=1", b"B=2"])
assert k.exec_run("tty", tty=True).output.startswith(b"/dev/pts/")
check(b"".join(k.exec_run(["sh", "-c", "seq 3"], stream=True).output), b"1\n2\n3\n")

# input, and its end
s = k.exec_run("cat", stdin=True, socket=True).output
s._sock.sendall(b"hello\n")
s._sock.shutdown(socket.SHUT_WR)
check(s.read(100), b"\1\0\0\0\0\0\0\6hello\n")
check(s.read(100), b"")

# the pid is one of this machine, and killing it is heard
e = c.api.exec_create(k.id, "sleep 1000")["Id"]
out = c.api.exec_start(e, stream=True)
while not c.api.exec_inspect(e)["Pid"]:
    time.sleep(0.01)
i = c.api.exec_inspect(e)
check((i["Running"], i["ExitCode"], i["ContainerID"]), (True, None, k.id))
assert e in c.api.inspect_container(k.id)["ExecIDs"]
pid = i["Pid"]
os.kill(pid, signal.SIGKILL)
check(list(out), [])
i = c.api.exec_inspect(e)
check((i["Running"], i["ExitCode"], i["Pid"]), (False, 137, pid)) # which is still told
refused(409, "Error: Exec command %s has already run" % e, c.api.exec_start, e, detach=True)


def start_socket(e, **kw):
    """What is said on the connection, which is no HTTP any more when it is."""
    s = c.api.exec_start(e, socket=True, **kw)
    said = b""
    while True:
        data = s.read(1000)
        if not data:
            return said
        said += data


text = b"Error: Exec command %s has already run\r\n" % e.encode()
check(start_socket(e), b"\1\0\0\0\0\0\0" + bytes([len(text)]) + text)
check(start_socket(e, tty=True), text)

# a pipeline that outlives the command by a moment; one that is silent does not keep the client
late = '(while grep -qs "^State:.[^Z]" /proc/$$/status; do sleep 0.01; done; echo late; echo worse >&2) & echo first'
check(k.exec_run(["sh", "-c", late], demux=True).output, (b"first\nlate\n", b"worse\n"))
check(k.exec_run(["sh", "-c", "sleep 12345 & echo started"]).output, b"started\n")

# a size that is asked for as soon as the start has been answered
for _ in range(5):
    e = c.api.exec_create(k.id, ["sh", "-c", "until stty size | grep '33 44'; do sleep 0.01; done"], tty=True)["Id"]
    s = c.api.exec_start(e, socket=True, tty=True)
    c.api.exec_resize(e, 33, 44)
    while s.read(1000):
        pass
    check(c.api.exec_inspect(e)["ExitCode"], 0)
refused(404, "no such exec", c.api.exec_resize, e, 33, 44)

# those that have not ended are told of, and what was not started goes with the container's life
def ids():
    return c.api.inspect_container(k.id)["ExecIDs"]


waiting = c.api.exec_create(k.id, "true")["Id"]
check(ids(), [waiting])
check(c.api.exec_inspect(waiting)["CanRemove"], False)

# detached; and attached, when the client goes: it goes on
e = c.api.exec_create(k.id, ["sh", "-c", "sleep 0.2; touch /went; exit 4"])["Id"]
check(c.api.exec_start(e, detach=True), "")
f = c.api.exec_create(k.id, ["sh", "-c", "sleep 0.2; touch /on; exit 5"])["Id"]
s = c.api.exec_start(f, socket=True)
s._sock.shutdown(socket.SHUT_RDWR)
s.close()
for x, code, name in (e, 4, "/went"), (f, 5, "/on"):
    while c.api.exec_inspect(x)["Running"]:
        time.sleep(0.01)
    check(c.api.exec_inspect(x)["ExitCode"], code)
    check(k.exec_run(["ls", name]).exit_code, 0)

# many at once, in one process, which reads slowly
def one(n):
    r = client().containers.get(k.id).exec_run(
        ["sh", "-c", "head -c 1000000 /dev/zero; echo %d >&2" % n], demux=True)
    if (r.exit_code, len(r.output[0] or b""), r.output[1]) != (0, 1000000, b"%d\n" % n):
        bad.append((n, r.exit_code, len(r.output[0] or b""), r.output[1]))


bad = []
threads = [threading.Thread(target=one, args=(n,)) for n in range(40)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(bad, [])

refused(404, "No such exec instance", c.api.exec_inspect, "0" * 64)
k.kill()
refused(409, "is not running", k.exec_run, "true")
check(ids(), None)
refused(404, "No such exec instance", c.api.exec_inspect, waiting)
k.start()
check(ids(), None)
refused(404, "No such exec instance", c.api.exec_start, waiting)
check(c.api.exec_inspect(e)["Running"], False)
k.kill()
k.remove()
refused(404, "No such exec instance", c.api.exec_inspect, e)
