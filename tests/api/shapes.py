# SPDX-License-Identifier: Apache-2.0
"""The shape of every answer: status, headers, keys and types, and the words of errors.

shapes.py PREFIX [SHAPES]           asks the daemon of DOCKER_HOST and says where its answers are unlike SHAPES
shapes.py --record PREFIX [SHAPES]  writes SHAPES: only ever from docker's own daemon, and with an image `box`
                                    of busybox that has CMD ["sh"]
shapes.py --values PREFIX SHAPES    compares plain values too, of a record made with --record --values: what to
                                    look at, no test

SHAPES is shapes.json beside this file. PREFIX begins the names of what it makes. A key that docker has and the other one has not is a
difference; one more is none. A null is a type: python clients fall over one in place of a list.
"""
import http.client
import io
import json
import os
import re
import socket
import sys
import tarfile

V = "/v1.41"
# Objects whose keys are names that differ from daemon to daemon.
BY_NAME = ("memory_stats.stats", "GraphDriver.Data", "Runtimes", "DriverStatus", ".Networks", "Config.Labels", ".Options")
# Recorded from 20.10, and said in other words since, or with another status: only that it is refused counts.
OTHERWISE = {
    "a bad filter", "a bad name", "a version to come", "an old version", "attach to a missing one",
    "create: a number where a word is", "create: an array", "create: no JSON at all", "create: nonsense",
    "create: nothing", "create: words where a list is", "exec nonsense", "get nothing", "get without a path", "no image",
    "put nonsense", "put without a path", "put to read-only", "remove a running one", "resize one not started",
    "start what cannot", "tag badly",
    # no network where it was recorded, no client for registries here
    "auth with nothing", "create from nothing", "search without a term"}
# With a control group of the first version only; of the image that was there; of the store.
APART = ("percpu_usage", "max_usage", "Images[].Labels.", "ContainerConfig.", "GraphDriver.Data is null")
NONE = {"NetworkMode": "none"}


def connect():
    c = http.client.HTTPConnection("localhost")
    c.sock = socket.socket(socket.AF_UNIX)
    c.sock.settimeout(150)
    c.sock.connect(os.environ["DOCKER_HOST"].replace("unix://", ""))
    return c


class Asker:
    """Asks, and keeps what was answered by the name of the question."""

    def __init__(self, prefix):
        self.p, self.kept = prefix, {}

    def ask(self, name, method, path, body=None, headers=None, lines=0):
        """lines: of a stream that does not end, how many to read."""
        c = connect()
        headers = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        c.request(method, path if path.startswith("/v1") else V + path, body, headers)
        r = c.getresponse()
        data = b"".join(r.readline() for _ in range(lines)) if lines else r.read()
        c.close()
        self.kept[name] = self.answer(r, data)
        try:
            return json.loads(data)
        except ValueError:
            return data

    def answer(self, r, data):
        said = {"status": r.status, "type": r.getheader("Content-Type"),
                "headers": sorted(k for k in r.headers.keys() if k not in (
                    "Date", "Content-Type", "Content-Length", "Transfer-Encoding", "Connection"))}
        stat = r.getheader("X-Docker-Container-Path-Stat")
        if stat:
            import base64
            said["stat"] = json.loads(base64.b64decode(stat))
        try:
            values = [json.loads(line) for line in data.decode().splitlines() if line.strip()]
        except ValueError:
            values = None
        if r.status >= 400 and values and isinstance(values[0], dict):
            said["error"] = self.words(values[0].get("message", ""))
        elif values:
            said["body"] = values[0]
        elif data and len(data) < 200 and r.getheader("Content-Type", "").startswith("text"):
            said["text"] = data.decode(errors="replace")
        return said

    def words(self, text):
        """An error without what differs from run to run."""
        text = text.replace(self.p, "NAME")
        text = re.sub(r"\b[0-9a-f]{64}\b", "ID", text)
        return re.sub(r"\b[0-9a-f]{12}\b", "ID", text).strip()


def tar_of(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


# ---- the questions ------------------------------------------------------------------------------

def system(a):
    for path in ("/_ping", "/version", "/info", "/v1.24/_ping"):
        a.ask("GET " + path, "GET", path)
    a.ask("HEAD /_ping", "HEAD", "/_ping")
    a.ask("an old version", "GET", "/v1.10/info")
    a.ask("a version to come", "GET", "/v1.99/info")
    a.ask("no such page", "GET", "/nosuch")
    a.ask("no such method", "PUT", "/info")
    a.ask("df of one kind", "GET", "/system/df?type=volume")
    a.ask("df", "GET", "/system/df")
    a.ask("a bad filter", "GET", "/containers/json?filters=nonsense")
    a.ask("an unknown filter", "GET", "/containers/json?filters={%22nosuch%22:[%22a%22]}")
    a.ask("an unknown filter of images", "GET", "/images/json?filters={%22nosuch%22:[%22a%22]}")
    a.ask("swarm", "GET", "/swarm")
    a.ask("services", "GET", "/services")
    a.ask("plugins", "GET", "/plugins")
    a.ask("auth with nothing", "POST", "/auth", {})


def images(a):
    a.ask("images", "GET", "/images/json")
    a.ask("image", "GET", "/images/box/json")
    a.ask("image history", "GET", "/images/box/history")
    a.ask("no image", "GET", "/images/nosuch/json")
    a.ask("a bad name", "GET", "/images/NOsuch/json")
    a.ask("no image's history", "GET", "/images/nosuch/history")
    a.ask("tag", "POST", "/images/box/tag?repo=%s&tag=x" % a.p)
    a.ask("tag badly", "POST", "/images/box/tag?repo=UPPER&tag=x")
    a.ask("tag nothing", "POST", "/images/nosuch/tag?repo=%s" % a.p)
    a.ask("untag", "DELETE", "/images/%s:x" % a.p)
    a.ask("remove no image", "DELETE", "/images/nosuch")
    a.ask("create from nothing", "POST", "/images/create")
    a.ask("import", "POST", "/images/create?fromSrc=-&repo=%s&tag=i" % a.p, tar_of("a", b"b"),
          {"Content-Type": "application/x-tar"})
    a.ask("an imported image", "GET", "/images/%s:i/json" % a.p)
    create(a, "create of it", {"Image": a.p + ":i", "Cmd": ["x"]}, "i")
    a.ask("remove an image in use", "DELETE", "/images/%s:i" % a.p)
    a.ask("remove its user", "DELETE", "/containers/%s-i" % a.p)
    a.ask("remove an image", "DELETE", "/images/%s:i" % a.p)
    a.ask("load nonsense", "POST", "/images/load?quiet=1", b"nonsense" * 200,
          {"Content-Type": "application/x-tar"})
    a.ask("get nothing", "GET", "/images/nosuch/get")
    a.ask("prune images", "POST", "/images/prune?filters={%22label%22:[%22nosuch%22]}")
    a.ask("search without a term", "GET", "/images/search")


def create(a, what, body, name=None):
    body.setdefault("HostConfig", NONE)
    r = a.ask(what, "POST", "/containers/create" + ("?name=%s-%s" % (a.p, name) if name else ""), body)
    return r["Id"] if "Id" in r else None


def bad_creates(a):
    for what, body, name in (
            ("of no image", {"Image": "nosuch"}, "x"), ("of nothing", {}, "x"), ("a bad name", {"Image": "box"}, "%20"),
            ("a relative workdir", {"Image": "box", "WorkingDir": "a"}, "x"),
            ("a bad env", {"Image": "box", "Env": ["=a"]}, "x"),
            ("a bad bind", {"Image": "box", "HostConfig": {"Binds": ["a:b"]}}, "x"),
            ("a missing bind", {"Image": "box", "HostConfig": {"Mounts": [
                {"Type": "bind", "Source": "/nosuch", "Target": "/x"}]}}, "x"),
            ("a bad mount", {"Image": "box", "HostConfig": {"Mounts": [{"Type": "nosuch", "Target": "/x"}]}}, "x"),
            ("little memory", {"Image": "box", "HostConfig": {"Memory": 1000}}, "x"),
            ("bad capabilities", {"Image": "box", "HostConfig": {"CapAdd": ["NOSUCH"]}}, "x"),
            ("a bad restart policy", {"Image": "box", "HostConfig": {"RestartPolicy": {"Name": "x"}}}, "x"),
            ("a bad signal", {"Image": "box", "StopSignal": "NOSUCH"}, "x"),
            ("a bad log driver", {"Image": "box", "HostConfig": {"LogConfig": {"Type": "nosuch"}}}, "x"),
            ("words where a list is", {"Image": "box", "Env": "a"}, "x"),
            ("a number where a word is", {"Image": 1}, "x"),
            ("a bad port", {"Image": "box", "ExposedPorts": {"nosuch/tcp": {}}}, "y")):
        create(a, "create: " + what, body, name)
    for what, data in (("nonsense", b"{{{"), ("an array", b"[]"), ("nothing", b""), ("null", b"null")):
        a.ask("create: " + what, "POST", "/containers/create?name=%s-x" % a.p, data,
              {"Content-Type": "application/json"})
    a.ask("create: no JSON at all", "POST", "/containers/create?name=%s-x" % a.p, b"Image=box",
          {"Content-Type": "application/x-www-form-urlencoded"})


def containers(a):
    bad_creates(a)
    name = a.p + "-c"
    create(a, "create", {"Image": "box", "Cmd": ["sleep", "1000"], "Labels": {"l": a.p}, "Env": ["A=b"],
                         "ExposedPorts": {"80/tcp": {}}, "Volumes": {"/vol": {}}, "Tty": False,
                         "Healthcheck": {"Test": ["NONE"]},
                         "HostConfig": {"NetworkMode": "none", "Binds": ["/tmp:/x:ro"], "Memory": 64 << 20,
                                        "Ulimits": [{"Name": "nofile", "Soft": 512, "Hard": 512}],
                                        "PortBindings": {"80/tcp": [{"HostPort": "8080"}]},
                                        "Tmpfs": {"/tm": "size=1m"}, "CapAdd": ["SYS_ADMIN"]}}, "c")
    create(a, "create a name in use", {"Image": "box"}, "c")
    a.ask("inspect created", "GET", "/containers/%s/json?size=1" % name)
    a.ask("create an exec before the start", "POST", "/containers/%s/exec" % name, {"Cmd": ["true"]})
    a.ask("kill before the start", "POST", "/containers/%s/kill" % name)
    a.ask("pause before the start", "POST", "/containers/%s/pause" % name)
    a.ask("stop before the start", "POST", "/containers/%s/stop" % name)
    a.ask("top before the start", "GET", "/containers/%s/top" % name)
    a.ask("stats before the start", "GET", "/containers/%s/stats?stream=0" % name)
    a.ask("resize before the start", "POST", "/containers/%s/resize?h=10&w=10" % name)
    a.ask("logs before the start", "GET", "/containers/%s/logs?stdout=1" % name)
    a.ask("changes before the start", "GET", "/containers/%s/changes" % name)
    a.ask("start", "POST", "/containers/%s/start" % name)
    a.ask("start again", "POST", "/containers/%s/start" % name)
    a.ask("inspect", "GET", "/containers/%s/json" % name)
    a.ask("list", "GET", "/containers/json?size=1&filters={%%22name%%22:[%%22%s%%22]}" % name)
    a.ask("list none", "GET", "/containers/json?filters={%22name%22:[%22nosuch%22]}")
    a.ask("list badly", "GET", "/containers/json?limit=x")
    a.ask("list by a bad state", "GET", "/containers/json?filters={%22status%22:[%22nosuch%22]}")
    a.ask("top", "GET", "/containers/%s/top" % name)
    a.ask("top aux", "GET", "/containers/%s/top?ps_args=aux" % name)
    a.ask("top badly", "GET", "/containers/%s/top?ps_args=-o+nosuch" % name)
    a.ask("stats", "GET", "/containers/%s/stats?stream=0&one-shot=1" % name)
    a.ask("stats as a stream", "GET", "/containers/%s/stats" % name, lines=1)
    a.ask("update", "POST", "/containers/%s/update" % name, {"Memory": 32 << 20, "MemorySwap": 64 << 20})
    a.ask("update badly", "POST", "/containers/%s/update" % name, {"Memory": 1})
    a.ask("rename to its name", "POST", "/containers/%s/rename?name=%s" % (name, name))
    a.ask("rename to nothing", "POST", "/containers/%s/rename" % name)
    a.ask("rename badly", "POST", "/containers/%s/rename?name=a%%20b" % name)
    a.ask("rename", "POST", "/containers/%s/rename?name=%s-n" % (name, name))
    a.ask("rename back", "POST", "/containers/%s-n/rename?name=%s" % (name, name))
    a.ask("remove a running one", "DELETE", "/containers/%s" % name)
    a.ask("kill badly", "POST", "/containers/%s/kill?signal=NOSUCH" % name)
    a.ask("logs of no stream", "GET", "/containers/%s/logs" % name)
    a.ask("pause", "POST", "/containers/%s/pause" % name)
    a.ask("pause again", "POST", "/containers/%s/pause" % name)
    a.ask("inspect paused", "GET", "/containers/%s/json" % name)
    a.ask("exec in a paused one", "POST", "/containers/%s/exec" % name, {"Cmd": ["true"]})
    a.ask("unpause", "POST", "/containers/%s/unpause" % name)
    a.ask("unpause again", "POST", "/containers/%s/unpause" % name)


def execs(a):
    name = a.p + "-c"
    a.ask("exec nothing", "POST", "/containers/%s/exec" % name, {})
    x = a.ask("exec", "POST", "/containers/%s/exec" % name, {
        "Cmd": ["true"], "AttachStdout": True, "Env": ["A=b"]})["Id"]
    a.ask("inspect an exec", "GET", "/exec/%s/json" % x)
    a.ask("resize one not started", "POST", "/exec/%s/resize?h=10&w=10" % x)
    a.ask("start an exec aside", "POST", "/exec/%s/start" % x, {"Detach": True})
    while a.ask("inspect a started exec", "GET", "/exec/%s/json" % x)["Running"]:
        pass
    a.ask("start it again", "POST", "/exec/%s/start" % x, {"Detach": True})
    a.ask("inspect no exec", "GET", "/exec/nosuch/json")
    a.ask("start no exec", "POST", "/exec/nosuch/start", {})
    a.ask("resize no exec", "POST", "/exec/nosuch/resize?h=1&w=1")
    a.ask("exec in nothing", "POST", "/containers/nosuch/exec", {"Cmd": ["true"]})
    a.ask("exec nonsense", "POST", "/containers/%s/exec" % name, b"{{{", {"Content-Type": "application/json"})
    a.ask("inspect with execs", "GET", "/containers/%s/json" % name)


def files(a):
    name = a.p + "-c"
    a.ask("stat a file", "HEAD", "/containers/%s/archive?path=/bin/busybox" % name)
    a.ask("stat a link", "HEAD", "/containers/%s/archive?path=/bin/sh" % name)
    a.ask("stat nothing", "HEAD", "/containers/%s/archive?path=/nosuch" % name)
    a.ask("get a file", "GET", "/containers/%s/archive?path=/bin/busybox" % name)
    a.ask("get nothing at all", "GET", "/containers/%s/archive?path=/nosuch" % name)
    a.ask("get without a path", "GET", "/containers/%s/archive" % name)
    a.ask("get of nothing", "GET", "/containers/nosuch/archive?path=/")
    a.ask("put", "PUT", "/containers/%s/archive?path=/root" % name, tar_of("f", b"data"))
    a.ask("put nowhere", "PUT", "/containers/%s/archive?path=/nosuch" % name, tar_of("f", b"data"))
    a.ask("put into a file", "PUT", "/containers/%s/archive?path=/bin/busybox" % name, tar_of("f", b"data"))
    a.ask("put without a path", "PUT", "/containers/%s/archive" % name, tar_of("f", b"data"))
    a.ask("put to read-only", "PUT", "/containers/%s/archive?path=/x" % name, tar_of("f", b"data"))
    a.ask("put nonsense", "PUT", "/containers/%s/archive?path=/root" % name, b"nonsense" * 200)
    a.ask("changes", "GET", "/containers/%s/changes" % name)
    a.ask("export", "GET", "/containers/%s/export" % name)
    a.ask("export nothing", "GET", "/containers/nosuch/export")
    a.ask("commit", "POST", "/commit?container=%s&repo=%s&tag=c" % (name, a.p), {"Labels": {"a": "b"}})
    a.ask("a committed image", "GET", "/images/%s:c/json" % a.p)
    a.ask("its history", "GET", "/images/%s:c/history" % a.p)
    a.ask("commit nothing", "POST", "/commit?container=nosuch")
    a.ask("remove the committed image", "DELETE", "/images/%s:c" % a.p)


def ends(a):
    name = a.p + "-c"
    a.ask("df with a container", "GET", "/system/df")
    a.ask("stop", "POST", "/containers/%s/stop?t=0" % name)
    a.ask("stop again", "POST", "/containers/%s/stop" % name)
    a.ask("stop badly", "POST", "/containers/%s/stop?t=x" % name)
    a.ask("inspect ended", "GET", "/containers/%s/json" % name)
    a.ask("list ended", "GET", "/containers/json?all=1&filters={%%22name%%22:[%%22%s%%22]}" % name)
    a.ask("stats ended", "GET", "/containers/%s/stats?stream=0" % name)
    a.ask("wait", "POST", "/containers/%s/wait" % name)
    a.ask("kill ended", "POST", "/containers/%s/kill" % name)
    a.ask("exec in an ended one", "POST", "/containers/%s/exec" % name, {"Cmd": ["true"]})
    a.ask("attach to a missing one", "POST", "/containers/nosuch/attach?stream=1&stdout=1")
    for verb in ("start", "stop", "restart", "kill", "pause", "unpause", "wait", "resize?h=1&w=1", "rename?name=x",
                 "update", "exec"):
        a.ask("%s of nothing" % verb.split("?")[0], "POST", "/containers/nosuch/" + verb,
              {"Cmd": ["x"]} if verb == "exec" else {} if verb == "update" else None)
    for what in ("json", "top", "stats", "logs?stdout=1", "changes"):
        a.ask("%s of nothing" % what.split("?")[0], "GET", "/containers/nosuch/" + what)
    a.ask("remove", "DELETE", "/containers/%s?v=1" % name)
    a.ask("remove again", "DELETE", "/containers/%s" % name)
    create(a, "create what cannot start", {"Image": "box", "Cmd": ["nosuch"]}, "b")
    a.ask("start what cannot", "POST", "/containers/%s-b/start" % a.p)
    a.ask("inspect what could not", "GET", "/containers/%s-b/json" % a.p)
    a.ask("remove what could not", "DELETE", "/containers/%s-b?force=1" % a.p)
    a.ask("prune containers", "POST", "/containers/prune?filters={%22label%22:[%22nosuch%22]}")
    a.ask("events", "GET", "/events?since=1&until=2")
    a.ask("an event", "GET", "/events?since=1&filters={%%22container%%22:[%%22%s%%22],%%22event%%22:[%%22die%%22]}" %
          name, lines=1)


def volumes(a):
    a.ask("create a volume", "POST", "/volumes/create", {"Name": a.p + "-v", "Labels": {"a": "b"}})
    a.ask("create a volume again", "POST", "/volumes/create", {"Name": a.p + "-v"})
    a.ask("a bad volume", "POST", "/volumes/create", {"Name": "/"})
    a.ask("a volume of no driver", "POST", "/volumes/create", {"Name": a.p, "Driver": "nosuch"})
    a.ask("volumes", "GET", "/volumes?filters={%%22name%%22:[%%22%s-v%%22]}" % a.p)
    a.ask("no volumes", "GET", "/volumes?filters={%22name%22:[%22nosuch%22]}")
    a.ask("a volume", "GET", "/volumes/%s-v" % a.p)
    a.ask("df with a volume", "GET", "/system/df")
    a.ask("no volume", "GET", "/volumes/nosuch")
    a.ask("remove a volume", "DELETE", "/volumes/%s-v" % a.p)
    a.ask("remove no volume", "DELETE", "/volumes/nosuch")
    a.ask("prune volumes", "POST", "/volumes/prune?filters={%22label%22:[%22nosuch%22]}")


def networks(a):
    a.ask("networks", "GET", "/networks?filters={%22name%22:[%22none%22]}")
    a.ask("a network", "GET", "/networks/none")
    a.ask("no network", "GET", "/networks/nosuch")
    a.ask("remove no network", "DELETE", "/networks/nosuch")
    a.ask("remove one of docker's", "DELETE", "/networks/none")
    a.ask("a second none", "POST", "/networks/create", {"Name": "none", "CheckDuplicate": True})
    a.ask("prune networks", "POST", "/networks/prune?filters={%22label%22:[%22nosuch%22]}")
    a.ask("connect nothing", "POST", "/networks/nosuch/connect", {"Container": "nosuch"})
    a.ask("no tasks", "GET", "/tasks")
    a.ask("prune of builds", "POST", "/build/prune")


ALL = (system, images, volumes, networks, containers, execs, files, ends)


# ---- comparing ----------------------------------------------------------------------------------

def shape(v):
    if isinstance(v, dict):
        return {k: shape(x) for k, x in sorted(v.items())}
    if isinstance(v, list):
        shapes = [shape(x) for x in v]
        return [x for i, x in enumerate(shapes) if x not in shapes[:i]]
    return {str: "word", bool: "yes or no", int: "number", float: "number", type(None): None}[type(v)]


def kind(s):
    return {dict: "an object", list: "a list", type(None): "null"}.get(type(s), s)


def compare(where, want, got, out):
    if isinstance(want, dict) and isinstance(got, dict):
        for k in want:
            if where.endswith(BY_NAME):
                break
            if k not in got:
                out.append("%s.%s is missing: %s" % (where, k, json.dumps(want[k])[:80]))
            else:
                compare("%s.%s" % (where, k), want[k], got[k], out)
    elif isinstance(want, list) and isinstance(got, list):
        for one in want if got else ():
            tries = []
            for other in got:
                tries.append([])
                compare(where + "[]", one, other, tries[-1])
            out += min(tries, key=len)
    elif want is None and isinstance(got, (list, dict)):
        pass  # there was nothing to tell; an empty one says the same
    elif kind(want) != kind(got):
        out.append("%s is %s, wanted %s" % (where, kind(got), kind(want)))


def differences(name, want, got, values=False):
    out = []
    if name in OTHERWISE:
        return out if got["status"] >= 400 else ["%s: was not refused: %s" % (name, got)]
    for k in sorted(set(want) | set(got)):
        w, g = want.get(k), got.get(k)
        if k in ("body", "stat"):
            if values:
                plain(name + ": " + k, w, g, out)
            compare(name + ": " + k, shape(w) if values else w, shape(g), out)
        elif k == "headers":
            out += ["%s: no header %s" % (name, h) for h in w if h not in g]
        elif k == "error" and w and g:
            if w.lower() != g.lower():
                out.append("%s: says %r, wanted %r" % (name, g, w))
        elif k == "type" and w is None:
            pass
        elif k == "status" and (w, g) == (500, 400):
            pass  # it did not count as the caller's fault then
        elif w != g:
            out.append("%s: %s is %r, wanted %r" % (name, k, g, w))
    return out


def plain(where, want, got, out):
    if isinstance(want, dict) and isinstance(got, dict):
        for k in want:
            if k in got:
                plain("%s.%s" % (where, k), want[k], got[k], out)
        for k in got:
            if k not in want:
                out.append("%s.%s is more: %s" % (where, k, json.dumps(got[k])[:80]))
    elif isinstance(want, list) and isinstance(got, list):
        for w, g in zip(want, got):
            plain(where + "[]", w, g, out)
        if len(want) != len(got):
            out.append("%s has %d, wanted %d" % (where, len(got), len(want)))
    elif want != got and kind(want) == kind(got):
        out.append("%s is %r, wanted %r" % (where, got, want))


def main(argv):
    values = "--values" in argv
    record = "--record" in argv
    argv = [x for x in argv if not x.startswith("--")]
    path = argv[1] if len(argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "shapes.json")
    a = Asker(argv[0])
    for part in ALL:
        part(a)
    if record:
        for answer in () if values else a.kept.values():
            answer.update({k: shape(answer[k]) for k in ("body", "stat") if k in answer})
        with open(path, "w") as f:
            f.write("{\n" + ",\n".join('%s: %s' % (json.dumps(k), json.dumps(v, sort_keys=True))
                                       for k, v in a.kept.items()) + "\n}\n")
        return 0
    with open(path) as f:
        wanted = json.load(f)
    out = ["%s: not recorded" % name for name in a.kept if name not in wanted]
    for name in wanted:
        out += differences(name, wanted[name], a.kept[name], values)
    out = [x for x in out if not any(word in x for word in APART)]
    print("\n".join(out))
    return 1 if out else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
