# SPDX-License-Identifier: Apache-2.0
import sys
import threading
import time

import docker
import requests

from client import check, client, refused

name = sys.argv[1]
c = client()
check(c.ping(), True)
assert docker.utils.version_gte(c.version()["ApiVersion"], "1.24")
check(c.version()["Os"], "linux")
assert c.info()["ID"]

check(c.containers.run("box", ["sh", "-c", "echo out; echo err >&2"], remove=True, stderr=True), b"out\nerr\n")
try:
    c.containers.run("box", ["sh", "-c", "exit 3"], remove=True)
    raise AssertionError("no error")
except docker.errors.ContainerError as e:
    check(e.exit_status, 3)

k = c.containers.create("box", "sleep 1000", name=name, user="root", detach=True, cap_add=["SYS_ADMIN"],
                        mem_limit="10g", privileged=True, environment={"A": "b"}, labels={"l": name},
                        ulimits=[docker.types.Ulimit(name="nofile", soft=512, hard=512)],
                        volumes={"/tmp": {"bind": "/x", "mode": "ro"}}, ports={"80/tcp": 8080})
check((k.status, k.name), ("created", name))
check(k.wait()["StatusCode"], 0)
refused(409, 'The container name "/%s" is already in use by container' % name, c.containers.create, "box", name=name)
k.start()
k.start()  # 304
k.reload()
check(k.status, "running")
check([x.name for x in c.containers.list(filters={"label": "l=" + name, "name": name})], [name])
check(c.containers.get(k.id[:12]).id, k.id)
assert "A=b" in k.attrs["Config"]["Env"] and k.attrs["HostConfig"]["Binds"] == ["/tmp:/x:ro"], k.attrs
check(k.exec_run("sh -c 'ulimit -n'").output, b"512\n")
assert any("sleep 1000" in p for row in k.top()["Processes"] for p in row)
check(k.stats(stream=False)["pids_stats"]["current"], 1)
refused(409, "stop the container before", k.remove)
k.pause()
k.reload()
check(k.status, "paused")
k.unpause()
k.rename(name + "-new")
k.reload()
check(k.name, name + "-new")
k.restart(timeout=0)
try:
    k.wait(timeout=0.3)
    raise AssertionError("it does not run")
except requests.exceptions.RequestException:
    pass
k.stop(timeout=0)
k.stop()  # 304
check(k.wait()["StatusCode"], 137)
refused(409, "is not running", k.kill)
k.remove()
refused(404, "No such container", c.containers.get, name)
refused(400, "Invalid container name", c.containers.create, "box", name="a b")
refused(400, "invalid signal", c.api.kill, k.id, "NOSUCH")

# a signal is named to stop and restart since version 1.42 only
for version, code in ("1.41", 6), ("1.42", 5):
    k = c.containers.run("box", ["sh", "-c", "trap 'exit 5' USR1; trap 'exit 6' TERM; echo; while sleep 0.05; do :; done"], detach=True)
    next(k.logs(stream=True, follow=True))  # the traps are set
    api = client(version=version).api
    check(api._post(api._url("/containers/{0}/stop", k.id), params={"signal": "USR1"}).status_code, 204)
    check(k.wait(), {"StatusCode": code})
    if version == "1.41":
        for path in "restart", "stop":
            check(api._post(api._url("/containers/{0}/" + path, k.id), params={"signal": "nonsense", "t": 0}).status_code, 204)
    k.remove()

# its end is told after it was removed
k = c.containers.run("box", ["sh", "-c", "sleep 0.3; exit 7"], remove=True, detach=True)
check(k.wait()["StatusCode"], 7)
for i in range(20):
    k = c.containers.run("box", ["sh", "-c", "exit %d" % i], remove=True, detach=True)
    if i % 2:
        while k in c.containers.list(all=True, ignore_removed=True):
            pass
    check(k.wait()["StatusCode"], i)

# who waits for a removal hears how it ended last, though it had not begun when he asked
k = c.containers.create("box", ["sh", "-c", "exit 7"])
waiting = c.api._post(c.api._url("/containers/{0}/wait", k.id), params={"condition": "removed"}, stream=True)
k.start()
check(k.wait()["StatusCode"], 7)
k.remove()
check(waiting.json()["StatusCode"], 7)

# what cannot be started says why, also to who waits
k = c.containers.create("box", "nosuch")
refused(400, "executable file not found", k.start)
why = c.api.inspect_container(k.id)["State"]["Error"]
assert "executable file not found" in why, why
for version in "1.41", "1.50":
    check(client(version=version).api.wait(k.id), {"Error": {"Message": why}, "StatusCode": 127})
k.remove()

# logs, while it runs and after
k = c.containers.run("box", ["sh", "-c", "for i in 1 2 3; do echo $i; sleep 0.1; done; echo e >&2"], detach=True)
check(b"".join(k.logs(stream=True, follow=True)), b"1\n2\n3\ne\n")
check(k.logs(stdout=True, stderr=False, tail=2), b"3\n")  # of both streams
check(k.logs(stderr=True, stdout=False, timestamps=True).split()[1], b"e")
k.remove()

# a terminal, over attach
k = c.containers.run("box", "sh", tty=True, stdin_open=True, detach=True)
s = k.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
k.resize(40, 100)
s._sock.sendall(b"echo $((40+2)); stty size; exit 9\n")
check(k.wait()["StatusCode"], 9)
seen = b""
while True:
    got = s._sock.recv(4096)
    if not got:
        break
    seen += got
assert b"42\r\n40 100\r\n" in seen, seen
k.remove()

# who ends beside input that nobody reads is heard to the last word
def pour(to):
    try:
        while True:
            to.sendall(b"y\n" * 8192)
    except OSError:
        pass  # that was its end


for i in range(20):
    k = c.containers.create("box", ["head", "-n", "1"], stdin_open=True)
    s = k.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    k.start()
    pouring = threading.Thread(target=pour, args=(s._sock,))
    pouring.start()
    seen = b""
    while got := s._sock.recv(4096):
        seen += got
    s._sock.close()
    pouring.join()
    check(seen, b"\x01\0\0\0\0\0\0\x02y\n")
    k.remove(force=True)

# what happened is told
since = int(time.time())
k = c.containers.run("box", "true", name=name + "-told", detach=True)
k.wait()
k.remove()
actions = [e["Action"] for e in c.events(since=since - 1, until=int(time.time()) + 1, decode=True,
                                         filters={"container": name + "-told"})]
check([a for a in actions if a in ("create", "start", "die", "destroy")], ["create", "start", "die", "destroy"])
