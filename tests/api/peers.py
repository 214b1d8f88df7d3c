# SPDX-License-Identifier: Apache-2.0
"""What other people's clients and test suites lean on, beyond the documentation."""
import os
import sys
import threading
import time

import docker
from client import check, client, refused
from docker.types import Mount

c = client()
name = sys.argv[1]
CTRL_P, CTRL_Q = b"\x10", b"\x11"


def said(sock, words):
    """Reads until the words come; all that was read."""
    got = b""
    while words not in got:
        more = sock.recv(1000)
        assert more, "%r ended before %r came" % (got, words)
        got += more
    return got


def ended(sock):
    try:
        while sock.recv(1000):
            pass
    except ConnectionResetError:
        pass


def leaves(sock, *keys):
    """The keys take the client off."""
    for k in keys:
        sock.sendall(k)
    ended(sock)


def attached(box):
    """As soon as it may be: between two lives it is refused."""
    while True:
        try:
            return c.api.attach_socket(box.id, {"stdin": 1, "stdout": 1, "stream": 1})
        except docker.errors.APIError as e:
            check(e.status_code, 409)


k = c.containers.run("box", "sleep 1000", name=name, detach=True)

# Whether the stream has frames is said by who starts it, whatever the exec's terminal.
e = c.api.exec_create(k.id, ["sh", "-c", "test -t 1 && echo a terminal"], tty=True)["Id"]
check(c.api.exec_start(e, demux=True), (b"a terminal\r\n", None))
e = c.api.exec_create(k.id, "echo none")["Id"]
check(c.api.exec_start(e, tty=True), b"none\n")

# Field names in any spelling, as Go reads them; the names of users stay.
r = c.api._post_json(c.api._url("/containers/{0}/exec", k.id),
                     data={"cmd": ["sh", "-c", "echo $a"], "attachStdout": True, "env": ["a=b"], "DETACHKEYS": "ctrl-a"})
e = c.api._result(r, True)["Id"]
check(c.api.exec_inspect(e)["DetachKeys"], "AQ==")
check(c.api.exec_start(e), b"b\n")
r = c.api._post_json(c.api._url("/containers/create"), params={"name": name + "-case"}, data={
    "image": "box", "cmd": ["true"], "labels": {"image": "x"}, "hostconfig": {"networkmode": "none", "memory": 64 << 20}})
i = c.api.inspect_container(c.api._result(r, True)["Id"])
check((i["Config"]["Cmd"], i["Config"]["Labels"]["image"], i["HostConfig"]["Memory"]), (["true"], "x", 64 << 20))
c.api.remove_container(i["Id"])

# A container's terminal has its size from the start, and again at each, if the client's version knows of one.
for version, size in ("1.41", "0 0"), ("1.42", "31 97"):
    api = client(version=version).api
    made = api._result(api._post_json(api._url("/containers/create"), data={
        "Image": "box", "Cmd": ["stty", "size"], "Tty": True, "HostConfig": {"ConsoleSize": [31, 97, 5]}}), True)["Id"]
    check(api.inspect_container(made)["HostConfig"]["ConsoleSize"], [int(n) for n in size.split()])
    for _ in range(2):
        api.start(made)
        api.wait(made)
    # of a terminal without a size busybox says so
    check(api.logs(made).count(size.encode() + b"\r\n"), 2 if version == "1.42" else 0)
    api.remove_container(made)

# An exec's terminal has its size from the start, what the start says before what its creation said, and keys by which
# its client leaves.
for asked, size in ({"ConsoleSize": [25, 85]}, "25 85"), ({"ConsoleSize": None}, "31 97"):
    r = c.api._post_json(c.api._url("/containers/{0}/exec", k.id), data={
        "Cmd": ["stty", "size"], "Tty": True, "AttachStdin": True, "AttachStdout": True, "ConsoleSize": [31, 97]})
    r = c.api._post(c.api._url("/exec/{0}/start", c.api._result(r, True)["Id"]), json={"Tty": True, **asked})
    check(r.content, size.encode() + b"\r\n")
r = c.api._post_json(c.api._url("/containers/{0}/exec", k.id), data={
    "Cmd": ["sh", "-c", "stty size; read x; touch /read; sleep 1000"], "Tty": True, "AttachStdin": True,
    "AttachStdout": True, "ConsoleSize": [31, 97]})
e = c.api._result(r, True)["Id"]
s = c.api.exec_start(e, tty=True, socket=True)
said(s._sock, b"31 97\r\n")
s._sock.sendall(b"input\n")
said(s._sock, b"input\r\n")
while k.exec_run("test -e /read").exit_code:
    pass
leaves(s._sock, b"a" + CTRL_P, CTRL_Q)
s.close()
i = c.api.exec_inspect(e)
check(i["Running"], True)
os.kill(i["Pid"], 9)
e = c.api.exec_create(k.id, "cat", tty=True, stdin=True)["Id"]
s = c.api.exec_start(e, tty=True, socket=True)
s._sock.sendall(CTRL_P + b"x\n")  # only began like them: input
said(s._sock, b"x\r\n")
leaves(s._sock, CTRL_P + CTRL_Q)
s.close()
c.api._general_configs["detachKeys"] = "ctrl-a,b"
e = c.api.exec_create(k.id, "cat", tty=True, stdin=True)["Id"]
s = c.api.exec_start(e, tty=True, socket=True)
leaves(s._sock, b"\1b")
s.close()
c.api._general_configs["detachKeys"] = "ctrl-nonsense"
refused(500, "Invalid escape keys (ctrl-nonsense) provided", c.api.exec_create, k.id, "cat", tty=True)
del c.api._general_configs["detachKeys"]
k.remove(force=True)

# The same of a container's own terminal; without one they are bytes like others.
k = c.containers.create("box", "cat", name=name, tty=True, stdin_open=True)
s = c.api.attach_socket(k.id, {"stdin": 1, "stdout": 1, "stream": 1, "detachKeys": "ctrl-a"})
k.start()
s._sock.sendall(CTRL_P + CTRL_Q + b"\n")
said(s._sock, b"\n")
leaves(s._sock, b"\1")
s.close()
k.reload()
check(k.status, "running")
refused(400, "Invalid detach keys (ctrl-nonsense) provided", lambda: c.api._raise_for_status(
    c.api._post(c.api._url("/containers/{0}/attach", k.id), params={"stream": 1, "detachKeys": "ctrl-nonsense"})))
e = c.api.exec_create(k.id, "cat", tty=True, stdin=True)["Id"]
s = c.api.exec_start(e, tty=True, socket=True)
s._sock.sendall(b"up\n")
said(s._sock, b"up")  # it has been told
k.resize(31, 97)
k.top()
leaves(s._sock, CTRL_P + CTRL_Q)
s.close()
k.exec_run("nosuch")
k.remove(force=True)
heard = list(c.events(since=0, until=int(time.time()) + 1, filters={"container": k.id}, decode=True))
check([x["Action"] for x in heard if x["Action"] != "exec_die"], [  # killed with its container, before or after it
    "create", "attach", "start", "detach", "exec_create: cat ", "exec_start: cat ", "resize", "top", "exec_detach",
    "exec_create: nosuch ", "exec_start: nosuch ", "kill", "die", "destroy"])
said_of = {x["Action"]: x["Actor"]["Attributes"] for x in heard}
check((said_of["resize"]["height"], said_of["resize"]["width"], said_of["exec_detach"]["execID"]), ("31", "97", e))
k = c.containers.create("box", "cat", name=name, stdin_open=True)
s = c.api.attach_socket(k.id, {"stdin": 1, "stdout": 1, "stream": 1})
k.start()
s._sock.sendall(CTRL_P + CTRL_Q)
said(s._sock, CTRL_P + CTRL_Q)
s.close()
k.remove(force=True)

# Who waits hears of each end, also where a policy starts the container again; so does who is attached.
k = c.containers.create("box", ["sh", "-c", "read x; echo $x; exit 3"], name=name, stdin_open=True,
                        restart_policy={"Name": "always"})
s = c.api.attach_socket(k.id, {"stdin": 1, "stdout": 1, "stream": 1})
codes = []
k.start()
threads = [threading.Thread(target=lambda w: codes.append(client().containers.get(k.id).wait(condition=w)["StatusCode"]),
                            args=(w,)) for w in ("not-running", "next-exit")]
for t in threads:
    t.start()
# each time anew, until both have heard of an end
while any(t.is_alive() for t in threads):
    try:
        s._sock.sendall(b"word\n")
        ended(s._sock)
    except OSError:
        pass
    s.close()
    s = attached(k)
s.close()
check(codes, [3, 3])
refused(409, "stop the container before removing or force remove", c.api.remove_container, k.id)
k.remove(force=True)

# Part of a volume; no symbolic link in it leads out of it.
v = c.volumes.create(name + "-v")
c.containers.run("box", ["sh", "-c", "mkdir -p /v/in/side; echo deep >/v/in/side/file; ln -s / /v/out"],
                 mounts=[Mount("/v", v.name)], remove=True)


def part(path):
    return dict(Mount("/p", v.name), VolumeOptions={"Subpath": path})


check(c.containers.run("box", "cat /p/file", mounts=[part("in/side")], remove=True), b"deep\n")
refused(400, "subpath must be a relative path within the volume", c.containers.create, "box", mounts=[part("in/../../x")])
refused(400, "subpath must be a relative path within the volume", c.containers.create, "box", mounts=[part("/in")])
for word, why in [("nosuch", "nosuch"), ("out", "path concatenation escapes the base directory")]:
    try:
        c.containers.run("box", "true", name=name, mounts=[part(word)])
        raise AssertionError("a part that is not there was mounted")
    except docker.errors.APIError as e:
        assert why in e.explanation, e.explanation
    c.containers.get(name).remove()
v.remove()

# What is asked of an endpoint is shown, and that nothing comes of it is said.
n = c.networks.create(name + "-n")
r = c.api._post_json(c.api._url("/containers/create"), params={"name": name}, data={
    "Image": "box", "Cmd": ["sleep", "1000"], "HostConfig": {
        "BlkioWeight": 100, "LogConfig": {"Config": {"compress": "true", "max-size": "1m", "max-file": "2"}}}, "NetworkingConfig": {"EndpointsConfig": {n.name: {
        "Aliases": ["foo", "bar"], "DriverOpts": {"o": "p"}, "IPAMConfig": {"IPv4Address": "10.1.2.3"}, "Links": ["a:b"]}}}})
r = c.api._result(r, True)
check([w.split()[0] for w in r["Warnings"]], ["BlkioWeight", "Aliases", "IPAMConfig", "Links", "DriverOpts", "--log-opt"])
k = c.containers.get(name)
k.start()
k.reload()
at = k.attrs["NetworkSettings"]["Networks"]
check(list(at), [n.name])
check((at[n.name]["Aliases"], at[n.name]["DriverOpts"], at[n.name]["IPAMConfig"], at[n.name]["Links"], at[n.name]["NetworkID"]),
      (["foo", "bar"], {"o": "p"}, {"IPv4Address": "10.1.2.3"}, ["a:b"], n.id))
check(at[n.name]["DNSNames"], [name, "foo", "bar", k.id[:12]])
old = docker.from_env(version="1.44")
check(old.containers.get(name).attrs["NetworkSettings"]["Networks"][n.name]["Aliases"], ["foo", "bar", k.id[:12]])
k.remove(force=True)
k = c.containers.create("box", network=n.name, hostname="host")
at = k.attrs["NetworkSettings"]["Networks"][n.name]
check((at["Aliases"], at["DNSNames"]), (None, [k.name, k.id[:12], "host"]))
check(old.containers.get(k.id).attrs["NetworkSettings"]["Networks"][n.name]["Aliases"], [k.id[:12], "host"])
k.remove()
for network in n.id, n.short_id, n.name:
    k = c.containers.create("box", network=network)
    check(list(c.api.inspect_container(k.id)["NetworkSettings"]["Networks"]), [n.name])
    k.remove()
k = c.containers.get(c.api.create_container("box", networking_config={"EndpointsConfig": {n.name: None, "nosuch": {}}})["Id"])
check(list(k.attrs["NetworkSettings"]["Networks"]), [n.name])
refused(404, "network nosuch not found", k.start)
k.remove()
n.remove()
refused(400, "NetworkingConfig.NetworkingConfig.EndpointsConfig of type ", c.api.create_container, "box", networking_config={"EndpointsConfig": {"x": 1}})

# What is only written down comes back as it was said.
k = c.containers.create("box", name=name, isolation="default", volume_driver="foo")
i = c.api.inspect_container(k.id)
check((i["HostConfig"]["Isolation"], i["HostConfig"]["VolumeDriver"]), ("default", "foo"))
refused(404, "error looking up volume plugin foo", c.containers.create, "box", volume_driver="foo", volumes=["vol:/v"])
refused(400, "Invalid isolation", c.containers.create, "box", isolation="hyperv")
refused(404, "No such container: a/b", c.api.remove_container, "a/b")
k.remove()

k = c.api.create_container("box", "sh", name=name, host_config={"Annotations": {"a": "b"}})["Id"]
for version, noted in ("1.45", {}), ("1.46", {"Annotations": {"a": "b"}}):
    row, = client(version=version).api.containers(all=True, filters={"name": name})
    check(row["HostConfig"], {"NetworkMode": "default", **noted})
c.api.remove_container(k)

mount = {"Type": "tmpfs", "Target": "/x", "TmpfsOptions": {"SizeBytes": 65536, "Options": [["noexec"], ["exec"]]}}
k = c.containers.get(c.api.create_container("box", ["grep", " /x ", "/proc/mounts"], host_config={"Mounts": [mount]})["Id"])
check(k.attrs["HostConfig"]["Mounts"], [mount])
k.start()
k.wait()
check(set(k.logs().decode().split()[3].split(",")) & {"noexec", "nodev", "nosuid", "size=64k"}, {"nodev", "nosuid", "size=64k"})
k.remove()
for options, words in (([["size", "1m"]], "invalid option: size"), ([["exec", "x", "y"]], "invalid option array length"),
                       ([["dev"]], "invalid option: dev"), ([[]], "invalid option array length"), ("exec", "must be a list")):
    refused(400, words, c.api.create_container, "box", host_config={"Mounts": [{**mount, "TmpfsOptions": {"Options": options}}]})

# before 1.40 other containers could join the IPC namespace of any
for version, mode, first in (("1.39", None, "shareable"), ("1.39", "private", "private"), ("1.40", None, "private")):
    old = docker.APIClient(base_url=os.environ["DOCKER_HOST"], version=version)
    k = old.create_container("box", "sh", host_config={"IpcMode": mode} if mode else {})["Id"]
    check(old.inspect_container(k)["HostConfig"]["IpcMode"], first)
    old.remove_container(k)
