# SPDX-License-Identifier: Apache-2.0
"""The rows about docker's Engine API: sbx's server compared with docker's daemon."""
import contextlib
import http.client
import json
import os
import socket
import statistics
import subprocess
import threading
import time

from evals import Call, resident


class Connection(http.client.HTTPConnection):
    """A persistent connection to a unix socket."""

    def __init__(self, path):
        super().__init__("localhost")
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.path)

    def ask(self, method, path, body=None):
        self.request(method, path, json.dumps(body) if body is not None else None,
                     {"Content-Type": "application/json"})
        answer = self.getresponse().read()
        return json.loads(answer) if answer[:1] in (b"{", b"[") else answer


def stream(path, container, argv):
    """The standard output of an exec, over a connection of its own."""
    c = Connection(path)
    ident = c.ask("POST", "/containers/%s/exec" % container,
                  {"Cmd": argv, "AttachStdout": True, "AttachStderr": True})["Id"]
    c.close()
    c.request("POST", "/exec/%s/start" % ident, "{}", {"Content-Type": "application/json"})
    data = c.getresponse().read()
    out, at = [], 0
    while at + 8 <= len(data):
        size = int.from_bytes(data[at + 4:at + 8], "big")
        out.append(data[at + 8:at + 8 + size])
        at += 8 + size
    return b"".join(out)


def cycle(client):
    begun = time.perf_counter()
    container = client.containers.create("sbx-bench", ["tail", "-f", "/dev/null"], network_mode="none")
    container.start()
    if container.exec_run(["true"]).exit_code != 0:
        raise RuntimeError("the exec failed")
    container.remove(force=True)
    return (time.perf_counter() - begun) * 1000


def switches(pid):
    with open("/proc/%d/status" % pid) as f:
        return sum(int(x.split()[1]) for x in f if "ctxt_switches" in x)


class Apis:
    """Rows of the bench: methods of a class that has compare() and row()."""

    @contextlib.contextmanager
    def server(self):
        """Runs `sbx serve`; yields its pid and its socket's path."""
        path = self.scratch + "/api.sock"
        if subprocess.run([self.sbx, "image", "inspect", "sbx-bench"], env=self.env,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            subprocess.run([self.sbx, "import", self.debian, "sbx-bench"], env=self.env, check=True,
                           stdout=subprocess.DEVNULL)
        server = subprocess.Popen([self.sbx, "serve", "-H", "unix://" + path], env=self.env,
                                  stderr=subprocess.PIPE)
        server.stderr.readline()  # "listening on ..."
        try:
            yield server.pid, path
        finally:
            server.terminate()
            server.wait()
            server.stderr.close()

    def docker_py(self, host):
        try:
            import docker
        except ImportError:
            raise self.Skip("this python has no docker-py")
        return docker.DockerClient(base_url=host)

    def api_cycle(self):
        self.docker()
        theirs = self.docker_py(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
        with self.server() as (_, path):
            ours = self.docker_py("unix://" + path)
            self.compare("docker-py: create, start, exec, remove: dockerd / sbx serve", 10,
                         Call("sbx", lambda: cycle(ours)), Call("dockerd", lambda: cycle(theirs)), 20, False)

    def api_ping(self):
        with self.server() as (_, path):
            c, times = Connection(path), []
            for _ in range(500):
                begun = time.perf_counter()
                if c.ask("GET", "/_ping") != b"OK":
                    raise RuntimeError("no OK")
                times.append((time.perf_counter() - begun) * 1000)
            c.close()
        took = statistics.median(times)
        self.row("sbx serve: ping / 1 ms", 1.0, took, took, 1, ("sbx", "goal"), True)

    def api_idle(self):
        with self.server() as (pid, path):
            c = Connection(path)
            c.ask("GET", "/containers/json?all=1")
            c.close()
            time.sleep(1)
            before = switches(pid)
            seconds = 2 if self.QUICK else 10
            time.sleep(seconds)
            woken = (switches(pid) - before) * 10 // seconds
            with open("/proc/%d/status" % pid) as f:
                kb = next(int(x.split()[1]) for x in f if x.startswith("VmRSS:"))
        self.row("sbx serve, idle: resident / 3 MB", 1.0, kb / 3072, kb, 3072, ("sbx", "goal"), True, "KB")
        self.row("sbx serve, idle: wake-ups in 10 s", 0, woken, woken, 0, ("sbx", "goal"), True, "")

    def api_streams(self):
        """200 streams at once, of a megabyte each, with different bytes."""
        count, size, intact, most = 200, 1 << 20, [], [0]

        def one(path, container, n):
            wanted = (b"%d\n" % (1000000 + n)) * (size // 8)
            argv = ["sh", "-c", "yes %d | head -c %d" % (1000000 + n, size)]
            try:
                intact.append(stream(path, container, argv) == wanted)
            except (OSError, http.client.HTTPException, ValueError, KeyError) as e:
                intact.append(False)
                print("stream %d: %r" % (n, e), flush=True)

        def watch():
            while len(intact) < count:
                most[0] = max(most[0], sum(resident(p) for p in self.servers()))
                time.sleep(0.02)

        with self.server() as (_, path):
            c = Connection(path)
            container = c.ask("POST", "/containers/create", {"Image": "sbx-bench", "Cmd": ["tail", "-f", "/dev/null"],
                                                             "HostConfig": {"NetworkMode": "none"}})["Id"]
            c.ask("POST", "/containers/%s/start" % container)
            c.close()
            threads = [threading.Thread(target=one, args=(path, container, n)) for n in range(count)]
            begun = time.perf_counter()
            threads.insert(0, threading.Thread(target=watch))
            for t in threads:
                t.start()
            for t in threads:
                t.join()
            took = time.perf_counter() - begun
            c.ask("DELETE", "/containers/%s?force=1" % container)
        print("%d streams of 1 MB in %.1f s" % (count, took), flush=True)
        self.row("sbx serve: intact ones of %d exec streams of 1 MB at once" % count, count, sum(intact), sum(intact),
                 count, ("intact", "goal"), False, "")
        self.row("sbx serve: memory with these, all its processes together / 50 MB", 1.0, most[0] / 51200, most[0], 51200,
                 ("sbx", "goal"), True, "KB")

    def servers(self):
        """The pids of the server and of its process for each connection."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/comm" % pid) as f:
                    name = f.read()
                if name.startswith("sbx-serve") and self.is_ours(int(pid)):
                    found.append(int(pid))
            except OSError:
                pass
        return found
