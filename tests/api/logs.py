# SPDX-License-Identifier: Apache-2.0
"""Who follows a log has the answer's headers when everything is open: what the container says after that comes, however
late it is read, and even when the container was removed meanwhile. docker-py's run(remove=True) leans on that."""
import os
import signal
import socket
import sys
import time

from client import check, client

name, server = sys.argv[1], int(sys.argv[2])


def connections():
    with open("/proc/%d/task/%d/children" % (server, server)) as f:
        return set(map(int, f.read().split()))


def follow(k):
    """A socket on which the log of k comes, behind the headers, and the process at its other end."""
    before = connections()
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ["DOCKER_HOST"][len("unix://"):])
    s.sendall(b"GET /v1.41/containers/%s/logs?follow=1&stdout=1 HTTP/1.1\r\nHost: x\r\n\r\n" % k.id.encode())
    said = b""
    while not said.endswith(b"\r\n\r\n"):
        said += s.recv(1)
    assert said.startswith(b"HTTP/1.1 200 "), said
    process, = connections() - before
    return s, process


def rest(s):
    said = b""
    while True:
        more = s.recv(4096)
        if not more or said.endswith(b"0\r\n\r\n"):
            return said
        said += more
        if said.endswith(b"0\r\n\r\n"):
            return said


c = client()
for before in "echo before; ", "":
    k = c.containers.run("box", ["sh", "-c", before + "while [ ! -e /go ]; do sleep 0.1; done; echo behind"], name=name,
                         detach=True, network_mode="none")
    while before and k.logs() != b"before\n":
        time.sleep(0.01)
    s, process = follow(k)
    os.kill(process, signal.SIGSTOP)
    check(k.exec_run(["touch", "/go"]).exit_code, 0)
    k.wait()
    k.remove()
    os.kill(process, signal.SIGCONT)
    said = rest(s)
    assert b"behind\n" in said and (b"before\n" in said) == bool(before), said
    s.close()
