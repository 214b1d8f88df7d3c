# SPDX-License-Identifier: Apache-2.0
"""What harnesses of benchmarks ask docker-py for, each in its own way of asking."""
import os
import socket
import subprocess
import sys
import threading
import time

import docker
import requests

from client import check, client, free_ports, refused, tar_of, untar

name, sbx = sys.argv[1], os.environ["SBX"]
work = os.getcwd()
c = client(max_pool_size=128)
FOREVER = "tail -f /dev/null"


def cli(*argv, **kw):
    return subprocess.run([sbx, *argv], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **kw)


def write(path, text):
    with open(os.path.join(work, path), "w") as f:
        f.write(text)
    return os.path.join(work, path)


def repair_benchmark():
    """Both doors at once: made by one, stopped and removed by the other."""
    for image in "box", "box:latest", "docker.io/box", "docker.io/library/box", "library/box:latest", "docker.io/library/box:latest":
        check(c.images.get(image).id, c.images.get("box").id)
        check(c.images.pull(image).id, c.images.get("box").id)
    e = refused(404, "No such image", c.images.get, "sweb.eval.nosuch:latest")
    assert isinstance(e, docker.errors.ImageNotFound), e
    e = refused(404, "No such container", c.containers.get, "nosuch")
    assert not isinstance(e, docker.errors.ImageNotFound), e
    k = c.containers.create(image="box", name=name + ".1", user="root", detach=True, command=FOREVER,
                            cap_add=["SYS_ADMIN"], mem_limit="10g")
    k.start()
    e = refused(409, "Conflict", c.containers.create, "box", name=name + ".1")
    check(k.exec_run("mkdir -p /testbed").exit_code, 0)
    check(k.put_archive("/testbed", tar_of({"a": b"b"})), True)
    check(tuple(k.exec_run("cat a", workdir="/testbed", user="root")), (0, b"b"))
    x = c.api.exec_create(k.id, "sh -c 'echo $$ >/pid; echo began; exec sleep 1000'")["Id"]
    out = c.api.exec_start(x, stream=True)
    check(next(out), b"began\n")
    k.exec_run("sh -c 'kill -TERM $(cat /pid)'", detach=True)
    check(list(out), [])
    check(c.api.exec_inspect(x)["ExitCode"], 143)
    assert name + ".1" in [y.name for y in c.containers.list(all=True)]
    # the command line on what the API made
    check(cli("stop", "--time=0", k.id).returncode, 0)
    check(c.containers.get(k.id).status, "exited")
    check(cli("start", k.name).returncode, 0)
    check(cli("exec", "-w", "/testbed", k.id, "cat", "a").stdout, b"b")
    check(c.containers.get(k.name).status, "running")
    check(cli("kill", k.id).returncode, 0)
    check(cli("rm", "--force", k.id).returncode, 0)
    refused(404, "No such container", k.reload)
    # and the other way round
    made = cli("run", "-d", "--name", name + ".2", "-e", "A=b", "box", "sleep", "1000").stdout.decode().strip()
    k = c.containers.get(made)
    check((k.name, k.status), (name + ".2", "running"))
    assert "A=b" in k.attrs["Config"]["Env"]
    check(k.exec_run(["sh", "-c", "echo $A; exit 3"]).exit_code, 3)
    k.remove(force=True)
    assert b"No such container" in cli("exec", made, "true").stderr
    # pull of what nobody has, with docker's shape of an error
    e = refused_any(c.images.pull, "nosuch.invalid/nosuch:1")
    assert e.explanation, e


def refused_any(call, *args, **kw):
    try:
        call(*args, **kw)
    except docker.errors.APIError as e:
        assert e.status_code >= 400, e
        return e
    raise AssertionError("%r was not refused" % call)


def results_of_a_bind():
    """remove and detach at once; the code is told, and what was written into a bind is there."""
    os.makedirs(os.path.join(work, "ws"), exist_ok=True)
    write("ws/entry.sh", "echo done >/workspace/out; exit 5\n")
    k = c.containers.run("box", volumes={work + "/ws": {"bind": "/workspace", "mode": "rw"}}, detach=True, remove=True,
                         entrypoint="/bin/sh", command=["-c", "sh /workspace/entry.sh"], network_mode="none",
                         platform="linux/x86_64")
    check(k.wait()["StatusCode"], 5)
    with open(work + "/ws/out") as f:
        check(f.read(), "done\n")
    one = write("one.patch", "patch\n")
    k = c.containers.run(image="box", command="cat /fix.patch", remove=False, detach=True, stdout=True, stderr=True,
                         environment=["A=b", "C=d e"], volumes={one: {"bind": "/fix.patch", "mode": "rw"}})
    check(b"".join(k.logs(stream=True, follow=True)), b"patch\n")
    check((k.wait()["StatusCode"], k.logs()), (0, b"patch\n"))
    k.remove(force=True)


def shell_on_a_terminal():
    """Pid 1 is a shell which is spoken to over attach."""
    k = c.containers.run("box", name=name + "-tty", command="/bin/sh", stdin_open=True, tty=True, detach=True,
                         environment={"TERM": "xterm-mono", "PS1": "$ "}, working_dir="/tmp",
                         extra_hosts={"host.docker.internal": "127.0.0.1"}, cpu_quota=50000, mem_limit="256m")
    s = k.attach_socket(params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1})
    s._sock.settimeout(150)
    s._sock.sendall(b"pwd; grep -c docker.internal /etc/hosts; echo en''d\n")
    seen = b""
    while b"end" not in seen:
        seen += s._sock.recv(4096)
    assert b"/tmp\r\n1\r\n" in seen, seen
    s.close()
    check(c.containers.get(k.id).status, "running")  # who was attached has gone, the shell has not
    check(k.exec_run("sh -c 'touch /kept'").exit_code, 0)
    k.stop(timeout=0)
    image = k.commit(repository=name + "-set", tag="up")
    check(image.tags, [name + "-set:up"])
    check(c.containers.run(image, "ls /kept", remove=True), b"/kept\n")
    k.remove(force=True)
    c.images.remove(name + "-set:up", force=True)
    check(c.images.prune(filters={"dangling": True, "label": "nosuch"})["SpaceReclaimed"], 0)


def kept_shell():
    """An exec of a shell, held open as a socket, with and without a terminal."""
    k = c.containers.run("box", "/bin/sh", name=name + "-kept", detach=True, tty=True, stdin_open=True, labels={"app": name},
                         auto_remove=True, network_mode="host", pids_limit=100, nano_cpus=1000000000, shm_size="64m",
                         runtime="runc", privileged=True, user=0)
    check([x.status for x in c.containers.list(all=True, filters={"name": name + "-kept", "label": "app=" + name})],
          ["running"])
    for tty in False, True:
        sock = k.exec_run("/bin/sh", tty=tty, stdin=True, socket=True).output._sock
        sock.settimeout(150)
        sock.sendall(b"cd /tmp && pwd; echo en''d\n")
        seen = b""
        while b"end" not in seen:
            seen += sock.recv(4096)
        assert b"/tmp" in seen, seen
        sock.sendall(b"exit\n")
        while sock.recv(4096):
            pass
        sock.close()
    x = c.api.exec_create(k.id, "cat", stdin=True, environment={"A": "b"}, workdir="/tmp")["Id"]
    sock = c.api.exec_start(x, tty=False, socket=True)._sock
    sock.sendall(b"\0\xff\n" * 3)
    sock.shutdown(socket.SHUT_WR)
    got = b""
    while True:
        more = sock.recv(4096)
        if not more:
            break
        got += more
    check(got[8:], b"\0\xff\n" * 3)
    check((c.api.exec_inspect(x)["Running"], c.api.exec_inspect(x)["ExitCode"]), (False, 0))
    chunks, errs = zip(*c.api.exec_start(c.api.exec_create(k.id, ["sh", "-c", "echo o; echo e >&2"])["Id"], stream=True,
                                         demux=True))
    check((b"".join(filter(None, chunks)), b"".join(filter(None, errs))), (b"o\n", b"e\n"))
    k.pause()
    check(c.containers.get(k.id).status, "paused")
    k.unpause()
    k.stop(timeout=0)
    wait_gone(k)


def wait_gone(k):
    for _ in range(3000):
        try:
            c.containers.get(k.id)
        except docker.errors.NotFound:
            return
        time.sleep(0.05)
    raise AssertionError("%s is still there" % k.name)


def anonymous_volume():
    """Filled from the image, and read and written on the host through its path."""
    k = c.containers.run(name=name + "-vol", image="box", detach=True, volumes=["/etc"],
                         command="sh -c 'sleep 1000'")
    source = k.attrs["Mounts"][0]["Source"]
    assert os.path.exists(source + "/passwd"), os.listdir(source)
    with open(source + "/fromhost", "w") as f:
        f.write("host\n")
    check(k.exec_run("cat /etc/fromhost").output, b"host\n")
    k.remove(force=True, v=True)
    assert not os.path.exists(source), source


def proof_of_a_crash():
    """Output alone of one stream; a wait that takes too long is the client's own affair."""
    poc = write("poc", "poc")
    k = c.containers.create(image="box", command=["/bin/sh", "-c", "cat /tmp/poc; sh -c 'kill -KILL $$'; exit $?"],
                            network_mode="none", volumes={poc: {"bind": "/tmp/poc", "mode": "ro"}})
    k.start()
    check(b"".join(k.logs(stdout=True, stderr=False, stream=True, follow=True)).split(b"Killed")[0].strip(), b"poc")
    check(k.wait(timeout=150)["StatusCode"], 137)
    k.remove(force=True)
    k = c.containers.run("box", "sleep 1000", detach=True)
    try:
        k.wait(timeout=0.2)
        raise AssertionError("it runs on")
    except (requests.exceptions.ReadTimeout, requests.exceptions.ConnectionError):
        pass
    k.kill()
    check(k.wait()["StatusCode"], 137)
    k.remove()


def objects():
    """Images as objects, mounts as objects, an entry point that is none, ports as clients spell them."""
    image, (one, two, three) = c.images.get("box"), free_ports(3)
    k = c.containers.create(image=image, detach=True, tty=True, user="root", entrypoint="/bin/sh",
                            command=["-c", "exec sleep 1000"], auto_remove=True, working_dir="/tmp",
                            mounts=[docker.types.Mount("/bound", work, type="bind", read_only=True),
                                    docker.types.Mount("/tm", None, type="tmpfs", tmpfs_size=1 << 20)],
                            ports={"8000/tcp": one, "9000/tcp": [{"HostPort": str(two), "HostIp": "0.0.0.0"}],
                                   "8888/tcp": ("127.0.0.1", three)},
                            device_requests=[], extra_hosts={"h": "1.2.3.4"}, healthcheck={"test": ["CMD", "true"]})
    k.start()
    while k.status != "running":
        k.reload()
    check(k.attrs["HostConfig"]["PortBindings"]["8888/tcp"], [{"HostIp": "127.0.0.1", "HostPort": str(three)}])
    check(c.containers.list(all=True, filters={"ancestor": image.id, "id": k.id}), [k])
    check(k.image.id, image.id)
    check(k.exec_run(["timeout", "60", "pwd"]).output, b"/tmp\n")
    k.restart(timeout=0)
    k.start()
    check(k.exec_run("sh -c 'touch /bound/x'").exit_code, 1)
    k.stop(timeout=0)
    wait_gone(k)
    k = c.containers.run("box", entrypoint=[], command=["sleep", "1000"], detach=True, network_mode="container:" +
                         c.containers.run("box", "sleep 1000", name=name + "-net", detach=True).id)
    check(k.exec_run("true").exit_code, 0)
    k.remove(force=True)
    c.containers.get(name + "-net").remove(force=True)
    low = docker.APIClient(base_url=os.environ["DOCKER_HOST"])
    made = low.create_container("box", command="sleep 1000", name=name + "-low",
                                host_config=low.create_host_config(mem_limit=64 << 20, memswap_limit=64 << 20))
    low.start(made)
    check(low.port(made["Id"], 80), None)
    check(low.inspect_container(made)["HostConfig"]["MemorySwap"], 64 << 20)
    check(low.top(made)["Titles"][1], "PID")
    low.remove_container(made, force=True)
    low.close()


def before_the_start():
    """Archives go in and come out of what never ran; a container is copied out of after its end."""
    net = c.networks.create(name + "-n", driver="bridge", internal=True)
    assert name + "-n" in [n.name for n in c.networks.list(filters={"type": "custom"})]
    assert isinstance(c.networks.get(net.id).attrs["IPAM"]["Config"], list)
    k = c.containers.create("box", ["sh", "-c", "cat /tmp/in >/tmp/out"], network=net.name)
    k.put_archive("/tmp", tar_of({"in": b"early"}))
    check(untar(k.get_archive("/tmp/in")[0]), {"in": b"early"})
    k.start()
    check(k.wait()["StatusCode"], 0)
    check(untar(k.get_archive("/tmp/out")[0]), {"out": b"early"})
    check(sorted(x["Path"] for x in k.diff() if x["Kind"] == 1), ["/tmp/in", "/tmp/out"])
    check(list(k.attrs["NetworkSettings"]["Networks"]), [net.name])
    e = refused_any(c.networks.get("none").connect, k)
    assert "network" in e.explanation, e
    k.remove()
    net.remove()


def measured():
    """Streams of statistics and of what happens, and who takes what of the disk."""
    k = c.containers.run("box", "sh -c 'while :; do :; done'", name=name + "-busy", detach=True)
    stats = k.stats(stream=True, decode=True)
    one, two = next(stats), next(stats)
    assert two["cpu_stats"]["cpu_usage"]["total_usage"] > one["cpu_stats"]["cpu_usage"]["total_usage"]
    assert two["cpu_stats"]["system_cpu_usage"] > two["precpu_stats"]["system_cpu_usage"]
    assert 0 < two["memory_stats"]["usage"] < two["memory_stats"]["limit"]
    assert two["memory_stats"]["stats"]["inactive_file"] >= 0
    heard, ready = [], threading.Event()

    def listen():
        events = c.events(decode=True, filters={"container": k.name})
        ready.set()
        for e in events:
            heard.append(e["Action"])
            if e["Action"] == "destroy":
                events.close()
                return

    t = threading.Thread(target=listen)
    t.start()
    ready.wait(10)
    while "rename" not in heard:  # until it listens indeed
        k.rename(name + "-busy2")
        k.rename(name + "-busy")
        time.sleep(0.01)
    mine = [x for x in c.df()["Containers"] if x["Id"] == k.id]
    check((len(mine), mine[0]["SizeRw"]), (1, 0))
    k.update(mem_limit=128 << 20, memswap_limit=128 << 20)
    k.reload()
    check(k.attrs["HostConfig"]["Memory"], 128 << 20)
    k.remove(force=True)
    t.join(150)
    check([a for a in heard if a in ("update", "kill", "die", "destroy")], ["update", "kill", "die", "destroy"])


for what in (repair_benchmark, results_of_a_bind, shell_on_a_terminal, kept_shell, anonymous_volume, proof_of_a_crash,
             objects, before_the_start, measured):
    try:
        what()
    except BaseException:
        print("in %s:" % what.__name__)
        raise
