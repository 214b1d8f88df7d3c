# SPDX-License-Identifier: Apache-2.0
"""The server is killed while clients are in the middle of an exec, an attach, a wait, logs and an upload: none of them
notices, the container neither, and the next server knows all. Then the processes of connections are killed."""
import atexit
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time

from wire import Line, check, exec_of, inspect_exec, one, run, tar_of, container

NAME, SBX, SOCK = sys.argv[1], os.environ["SBX"], os.environ["DOCKER_HOST"].replace("unix://", "")


def eventually(fact, what):
    for _ in range(3000):
        if fact():
            return
        time.sleep(0.02)
    raise AssertionError("never came true: " + what)


def serve():
    p = subprocess.Popen([SBX, "serve", "-H", "unix://" + SOCK], stderr=subprocess.DEVNULL)
    atexit.register(p.kill)

    def listens():
        try:
            Line().close()
            return True
        except OSError:
            return False
    eventually(listens, "a server listens")
    return p


def children(pid):
    """Those of a process, by pid, with their names."""
    out = {}
    for entry in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % entry, errors="replace") as f:
                head, _, rest = f.read().rpartition(")")
            if entry.isdigit() and int(rest.split()[1]) == pid and rest.split()[0] != "Z":
                out[int(entry)] = head.partition("(")[2]
        except (OSError, IndexError):
            pass  # it has ended, or is none
    return out


def gone(pids):
    def are():
        return not any(os.path.exists("/proc/%d/exe" % p) or os.path.exists("/proc/%d/fd/0" % p) for p in pids)
    eventually(are, "the processes of the connections end")


def asked(*args, **kw):
    line = Line()
    check(line.ask(*args, **kw).head()[0] in (101, 200), True)
    return line


UPGRADE = "Connection: Upgrade\nUpgrade: tcp\n"


def main():
    server = serve()
    container(NAME, Cmd=["sh", "-c", "while read x; do echo got $x; done; sleep 1000"], OpenStdin=True)
    check(one("POST", "/containers/%s/start" % NAME)[0], 204)
    run(NAME, "mkfifo", "/root/gate")
    detached = exec_of(NAME, "sh", "-c", "read x </root/gate; exit 6")
    check(one("POST", "/exec/%s/start" % detached, {"Detach": True})[0], 200)
    x = exec_of(NAME, "sh", "-c", "echo began; read x; echo $x; exit 5", AttachStdin=True)
    line = asked("POST", "/exec/%s/start" % x, {}, UPGRADE)
    check(line.f.read(14), b"\1\0\0\0\0\0\0\6began\n")
    attach = asked("POST", "/containers/%s/attach?stream=1&stdin=1&stdout=1" % NAME, None, UPGRADE)
    attach.say(b"one\n")
    check(attach.f.read(16), b"\1\0\0\0\0\0\0\10got one\n")
    wait = asked("POST", "/containers/%s/wait?condition=next-exit" % NAME)
    logs = asked("GET", "/containers/%s/logs?follow=1&stdout=1" % NAME)
    put = Line()
    tar = tar_of("sent", b"data" * 5000)
    put.say("PUT /containers/%s/archive?path=/root HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: %d\n\n" % (NAME, len(tar)))
    check(put.head()[0], 100)
    put.say(tar[:9000])

    busy = children(server.pid)
    server.kill()
    server.wait()
    server = serve()

    # who was connected is served to the end, and what the next server tells is true
    inspected = json.loads(one("GET", "/containers/%s/json" % NAME)[1])
    check((inspected["State"]["Running"], sorted(inspected["ExecIDs"])), (True, sorted([x, detached])))
    check((inspect_exec(x)["Running"], inspect_exec(detached)["Running"]), (True, True))
    put.say(tar[9000:])
    check(put.head()[0], 200)
    line.say(b"word\n")
    check(line.frames(), (b"word\n", b""))
    check(inspect_exec(x)["ExitCode"], 5)
    run(NAME, "sh", "-c", "echo >/root/gate")
    eventually(lambda: not inspect_exec(detached)["Running"], "the exec that nobody is attached to ends")
    check(inspect_exec(detached)["ExitCode"], 6)
    attach.say(b"two\n")
    check(attach.f.read(16), b"\1\0\0\0\0\0\0\10got two\n")
    probe = Line()
    check(probe.ask("HEAD", "/containers/%s/archive?path=/root/sent" % NAME).head()[0], 200)
    probe.close()
    for each in line, attach, put:
        each.close()

    # now the processes of connections themselves: what was exec'ed goes on, and can still be ended
    x = exec_of(NAME, "sh", "-c", "echo began; exec sleep 1000")
    line = asked("POST", "/exec/%s/start" % x, {}, UPGRADE)
    check(line.f.read(14), b"\1\0\0\0\0\0\0\6began\n")
    pid = inspect_exec(x)["Pid"]
    attach = asked("POST", "/containers/%s/attach?stream=1&stdin=1&stdout=1" % NAME, None, UPGRADE)
    mine = children(server.pid)
    check("sbx-serve-exec" in mine.values(), True)
    for each in mine:
        with contextlib.suppress(ProcessLookupError):  # one whose request is answered is about to go
            os.kill(each, signal.SIGKILL)
    check(line.f.read(), b"")
    check(attach.f.read(), b"")
    check((inspect_exec(x)["Running"], inspect_exec(x)["Pid"]), (True, pid))
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: not inspect_exec(x)["Running"], "the exec of a killed keeper ends")
    check(inspect_exec(x)["ExitCode"], 137)
    again = asked("POST", "/containers/%s/attach?stream=1&stdin=1&stdout=1" % NAME, None, UPGRADE)
    again.say(b"six\n")
    check(again.f.read(16), b"\1\0\0\0\0\0\0\10got six\n")
    check(json.loads(one("GET", "/containers/%s/json" % NAME)[1])["ExecIDs"], None)
    top = json.loads(one("GET", "/containers/%s/top" % NAME)[1])
    check(len(top["Processes"]), 1)

    # its end is heard over connections to the server that is no more
    check(one("POST", "/containers/%s/kill" % NAME)[0], 204)
    check(json.loads(wait.body({"transfer-encoding": "chunked"}))["StatusCode"], 137)
    check(logs.body({"transfer-encoding": "chunked"}).count(b"got "), 3)
    for each in line, attach, again, wait, logs:
        each.close()
    check(one("DELETE", "/containers/" + NAME)[0], 204)
    gone(busy)
    eventually(lambda: not children(server.pid), "the new server's connections end")
    server.terminate()
    check(server.wait(), 0)
    check(os.path.exists(SOCK), False)


if __name__ == "__main__":
    main()
