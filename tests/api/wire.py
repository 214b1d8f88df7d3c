# SPDX-License-Identifier: Apache-2.0
"""What is said byte for byte: connections, bodies, streams, and clients that behave badly."""
import io
import json
import os
import re
import socket
import sys
import tarfile

NAME = sys.argv[1]
PATH = os.environ["DOCKER_HOST"].replace("unix://", "")


class Line:
    """One connection."""

    def __init__(self):
        self.s = socket.socket(socket.AF_UNIX)
        self.s.settimeout(150)
        self.s.connect(PATH)
        self.f = self.s.makefile("rb")

    def say(self, text):
        self.s.sendall(text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode())

    def ask(self, method, path, body=None, more="", version="1.1"):
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        head = "%s %s HTTP/%s\nHost: x\n%s" % (method, path, version, more)
        if body is not None:
            head += "Content-Length: %d\n" % len(data)
            if not isinstance(body, bytes):
                head += "Content-Type: application/json\n"
        self.say((head + "\n").replace("\n", "\r\n").encode() + data)
        return self

    def say_chunked(self, method, path, data):
        """With a first piece of a body, of which more may come."""
        self.say("%s %s HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n" % (method, path))
        self.say(b"%x\r\n%s\r\n" % (len(data), data))
        return self

    def head(self):
        """Status and headers."""
        first = self.f.readline().decode()
        assert first, "the connection was closed"
        headers = {}
        for line in iter(lambda: self.f.readline().decode().strip(), ""):
            key, _, value = line.partition(":")
            headers[key.lower()] = value.strip()
        return int(first.split()[1]), headers

    def body(self, headers):
        if headers.get("transfer-encoding") == "chunked":
            out = b""
            while True:
                n = int(self.f.readline(), 16)
                out += self.f.read(n)
                self.f.readline()
                if n == 0:
                    return out
        return self.f.read(int(headers.get("content-length", 0)))

    def answer(self):
        status, headers = self.head()
        return status, self.body(headers) if status not in (204, 304) else b""

    def frames(self):
        """The frames of a stream to its end, by stream."""
        out = {1: b"", 2: b""}
        while True:
            head = self.f.read(8)
            if not head:
                return out[1], out[2]
            out[head[0]] += self.f.read(int.from_bytes(head[4:], "big"))

    def close(self):
        self.f.close()
        self.s.close()


def check(got, want):
    assert got == want, "got %r, wanted %r" % (got, want)


def one(*args, **kw):
    line = Line()
    answer = line.ask(*args, **kw).answer()
    line.close()
    return answer


def tar_of(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def container(name, **more):
    config = {"Image": "box", "Cmd": ["sleep", "1000"], "HostConfig": {"NetworkMode": "none"}}
    config.update(more)
    check(one("POST", "/containers/create?name=" + name, config)[0], 201)
    return name


def exec_of(name, *cmd, **more):
    config = {"Cmd": list(cmd), "AttachStdout": True, "AttachStderr": True}
    config.update(more)
    status, body = one("POST", "/containers/%s/exec" % name, config)
    check(status, 201)
    return json.loads(body)["Id"]


def inspect_exec(x):
    return json.loads(one("GET", "/exec/%s/json" % x)[1])


def run(name, *cmd):
    """To its end."""
    x = exec_of(name, *cmd)
    line = Line()
    check(line.ask("POST", "/exec/%s/start" % x, {}).head()[0], 200)
    check(line.frames(), (b"", b""))
    line.close()
    check(inspect_exec(x)["ExitCode"], 0)


RAW, FRAMED = "application/vnd.docker.raw-stream", "application/vnd.docker.multiplexed-stream"
UPGRADE = "Connection: Upgrade\nUpgrade: tcp\n"


def ping():
    line = Line()
    status, headers = line.ask("HEAD", "/_ping").head()  # and no body: what follows is the next answer
    check((status, headers["api-version"], headers["ostype"]), (200, json.loads(one("GET", "/version")[1])["ApiVersion"],
                                                               "linux"))
    assert "builder-version" in headers and headers["docker-experimental"] == "false", headers
    check(line.ask("GET", "/_ping").answer(), (200, b"OK"))
    # two requests in one write, answered one after the other
    line.say("GET /_ping HTTP/1.1\nHost: x\n\nGET /v1.24/_ping HTTP/1.1\nHost: x\n\n")
    check([line.answer(), line.answer()], [(200, b"OK")] * 2)
    line.close()
    for more, version in (("Connection: close\n", "1.1"), ("", "1.0")):
        line = Line()
        check(line.ask("GET", "/_ping", more=more, version=version).answer(), (200, b"OK"))
        check(line.f.read(), b"")
        line.close()


def bodies(name):
    # in chunks, with an extension and a trailer
    line = Line()
    data = json.dumps({"Cmd": ["true"]}).encode()
    line.say("POST /containers/%s/exec HTTP/1.1\nHost: x\nContent-Type: application/json; charset=utf-8\n"
             "Transfer-Encoding: chunked\n\n" % name)
    for i in range(0, len(data), 5):
        line.say(b"%x;x=y\r\n%s\r\n" % (len(data[i:i + 5]), data[i:i + 5]))
    line.say("0\nTrailer: x\n\n")
    check(line.answer()[0], 201)
    check(line.ask("GET", "/_ping").answer(), (200, b"OK"))
    line.close()
    tar = tar_of("chunked", b"data")
    line = Line()
    line.say("PUT /containers/%s/archive?path=/root HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n" % name)
    for i in range(0, len(tar), 4000):
        line.say(b"%x\r\n%s\r\n" % (len(tar[i:i + 4000]), tar[i:i + 4000]))
    line.say("0\n\n")
    check(line.answer()[0], 200)
    line.close()
    line = Line()
    check(line.ask("HEAD", "/containers/%s/archive?path=/root/chunked" % name).head()[0], 200)
    line.close()


def expect(name):
    tar = tar_of("asked", b"data")
    for path, want in (("/root", 200), ("/nosuch", 404)):
        line = Line()
        line.say("PUT /containers/%s/archive?path=%s HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: %d\n\n"
                 % (name, path, len(tar)))
        status, headers = line.head()
        if status == 100:
            line.say(tar)
            status, headers = line.head()
        check(status, want)
        line.close()
    # who is not there is told of before a body is asked for
    line = Line()
    line.say("PUT /containers/%s-nosuch/archive?path=/ HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: 9\n\n" % name)
    check(line.head()[0], 404)
    line.close()


def smuggled():
    for head in ("Content-Length: 2\nTransfer-Encoding: chunked\n", "Content-Length: 2\nContent-Length: 3\n",
                 "Content-Length: -1\n", "Content-Length: 99999999999999999999\n", "Transfer-Encoding: nosuch\n",
                 "A\0: b\n", "A : b\n", ": b\n", "A: " + "b" * 70000 + "\n"):
        line = Line()
        try:
            line.say("POST /containers/create HTTP/1.1\nHost: x\nContent-Type: application/json\n%s\n{}" % head)
            status = line.head()[0]
        except OSError:
            status = 400  # it hung up while we were still talking
        assert status >= 400, (status, head[:60])
        line.close()
    # more than a request may hold is not read to its end
    line = Line()
    line.say("POST /containers/create HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 99999999\n\n")
    try:
        for _ in range(200):
            line.say(b'[' * 65536)
    except OSError:
        pass
    check(line.head()[0], 400)
    line.close()


def streams(name):
    for more, want in ((UPGRADE, 101), ("Upgrade: tcp\n", 101), ("", 200)):
        x = exec_of(name, "sh", "-c", "cat; echo err >&2; exit 3", AttachStdin=True)
        line = Line()
        status, headers = line.ask("POST", "/exec/%s/start" % x, {}, more).head()
        check(status, want)
        assert "transfer-encoding" not in headers and "content-length" not in headers, headers
        check(headers["content-type"], FRAMED if want == 101 else RAW)  # docker's daemon has it so
        line.say(b"in\n")
        line.s.shutdown(socket.SHUT_WR)  # the end of its input, and no more than that
        check(line.frames(), (b"in\n", b"err\n"))
        check(inspect_exec(x)["ExitCode"], 3)
        line.close()
    # older versions had one word for both kinds
    x = exec_of(name, "echo", "old")
    line = Line()
    status, headers = line.ask("POST", "/v1.41/exec/%s/start" % x, {}, UPGRADE).head()
    check((status, headers["content-type"]), (101, RAW))
    check(line.frames(), (b"old\n", b""))
    line.close()
    # with a terminal the bytes come as they are
    x = exec_of(name, "sh", "-c", "tty; exit 4", Tty=True, AttachStdin=True)
    line = Line()
    check(line.ask("POST", "/exec/%s/start" % x, {"Tty": True}, UPGRADE).head()[0], 101)
    assert re.match(rb"/dev/pts/\d+\r\n$", line.f.read())
    check(inspect_exec(x)["ExitCode"], 4)
    line.close()


def attached(name):
    container(name, Cmd=["sh", "-c", "cat; echo end >&2"], OpenStdin=True, StdinOnce=True, AttachStdin=True)
    line = Line()
    status, headers = line.ask("POST", "/containers/%s/attach?stream=1&stdin=1&stdout=1&stderr=1" % name, None,
                               UPGRADE).head()
    check((status, headers["content-type"]), (101, FRAMED))
    waits = Line().ask("POST", "/containers/%s/wait?condition=next-exit" % name)
    check(waits.head()[0], 200)
    check(one("POST", "/containers/%s/start" % name)[0], 204)
    line.say(b"word\n")
    line.s.shutdown(socket.SHUT_WR)
    check(line.frames(), (b"word\n", b"end\n"))
    check(json.loads(waits.body({"transfer-encoding": "chunked"}))["StatusCode"], 0)
    line.close()
    waits.close()
    line = Line()
    status, headers = line.ask("POST", "/containers/%s/attach?logs=1&stdout=1&stderr=1" % name).head()
    check((status, headers["content-type"]), (200, RAW))
    check(line.frames(), (b"word\n", b"end\n"))
    line.close()
    # a line with what stands before it is one frame
    for more, before in ("timestamps=1", rb"\d{4}-\S+Z "), ("details=1", b" "), ("timestamps=1&details=1", rb"\d{4}-\S+Z  "):
        data = one("GET", "/containers/%s/logs?stdout=1&stderr=1&%s" % (name, more))[1]
        got = []
        while data:
            n = 8 + int.from_bytes(data[4:8], "big")
            got.append((data[0], re.fullmatch(before + rb"(\w+\n)", data[8:n]).group(1)))
            data = data[n:]
        check(got, [(1, b"word\n"), (2, b"end\n")])
    check(one("DELETE", "/containers/" + name)[0], 204)


def left_open(name):
    """An input that outlives its clients: the end of a client's own ends what it is attached to, and nothing else."""
    ask = "POST", "/containers/%s/attach?stream=1&stdin=1&stdout=1" % name, None, UPGRADE
    for config, said in (({}, b"\1\0\0\0\0\0\0\5word\n"), ({"Tty": True}, b"word\r\nword\r\n"),
                         ({"Tty": True, "StdinOnce": True}, b"word\r\nword\r\n")):
        container(name, Cmd=["cat"], OpenStdin=True, **config)
        check(one("POST", "/containers/%s/start" % name)[0], 204)
        for _ in range(2):
            line = Line().ask(*ask)
            check(line.head()[0], 101)
            line.say(b"word\n")
            check(line.f.read(len(said)), said)
            line.s.shutdown(socket.SHUT_WR)
            check(line.f.read(), b"")
            line.close()
        # what was said before is heard, though the client reads nothing until then
        witness, line = Line().ask(*ask), Line()
        check(witness.head()[0], 101)
        witness.say(b"word\n")
        check(witness.f.read(len(said)), said)  # 101 comes a little before it is attached
        line.ask(*ask).say(b"word\n")
        check(witness.f.read(len(said)), said)  # who came first is told last
        line.s.shutdown(socket.SHUT_WR)
        check(line.head()[0], 101)
        check(line.f.read(), said)
        line.close()
        witness.close()
        check(one("DELETE", "/containers/%s?force=1" % name)[0], 204)
    # no input at all: there is nothing to be attached to, or only the output
    container(name, Cmd=["sh", "-c", "read x; echo end; sleep 100000"])
    check(one("POST", "/containers/%s/start" % name)[0], 204)
    for wanted in "", "&stdin=1":
        line = Line().ask("POST", "/containers/%s/attach?stream=1%s" % (name, wanted), None, UPGRADE)
        check(line.head()[0], 101)
        check(line.f.read(), b"")
        line.close()
    check(one("DELETE", "/containers/%s?force=1" % name)[0], 204)


def body_of_a_stream(name):
    """What a request that becomes a stream has as its body is no input: dockerode sends its options so."""
    for more in (UPGRADE, ""):
        for head, body in (("Content-Length: 15\n", b'{"stream":true}'), ("Content-Length: 0\n", b""),
                           ("Transfer-Encoding: chunked\n", b"0\r\n\r\n"), ("Transfer-Encoding: chunked\n", b"")):
            check(one("POST", "/containers/create?name=" + name, {
                "Image": "box", "Cmd": ["cat"], "OpenStdin": True, "StdinOnce": True, "HostConfig": {"NetworkMode": "none"}})[0], 201)
            line = Line()
            text = "POST /containers/%s/attach?stream=1&stdin=1&stdout=1 HTTP/1.1\nHost: x\n%s%s\n" % (name, more, head)
            line.say(text.replace("\n", "\r\n").encode() + body)
            line.head()
            check(one("POST", "/containers/%s/start" % name)[0], 204)
            line.say("input\n")
            line.s.shutdown(socket.SHUT_WR)
            check(line.frames()[0], b"input\r\n")
            line.close()
            check(one("DELETE", "/containers/%s?force=1" % name)[0], 204)


def forms(name):
    """What a form says is as if the URL said it, and counts before that; it is no JSON."""
    form = "Content-Type: application/x-www-form-urlencoded; charset=utf-8\n"
    container(name)
    line = Line()
    check(line.ask("POST", "/containers/%s/rename?name=no" % name, b"name=%s%%2Da&x" % name.encode(), more=form).answer()[0], 204)
    check(line.ask("GET", "/containers/%s-a/json" % name).answer()[0], 200)
    status, body = line.ask("POST", "/containers/create", b'{"Image":"box"}', more=form).answer()
    assert status == 400 and b"must be 'application/json'" in body, body
    check(line.ask("POST", "/containers/%s-a/rename" % name, b"name=%zz", more=form).answer()[0], 400)
    check(line.ask("POST", "/containers/%s-a/rename" % name, b"", more=form).answer()[0], 400)
    check(line.ask("POST", "/images/create?fromSrc=-&repo=%s" % name, tar_of("a", b"x"), more=form).answer()[0], 200)
    line.close()
    check(one("DELETE", "/images/" + name)[0], 200)
    check(one("DELETE", "/containers/%s-a" % name)[0], 204)


def spellings(name):
    """Of a name in several spellings the last one counts."""
    for text, want in (b'"Cmd":["a"],"cmd":["b"]', ["b"]), (b'"cmd":["a"],"Cmd":["b"]', ["b"]), \
            (b'"Cmd":["a"],"CMD":["b"],"cmd":["c"]', ["c"]), (b'"cMD":["a"]', ["a"]):
        body = b'{"Image":"box",' + text + b',"Labels":{"cmd":"x","Cmd":"y"}}'
        check(one("POST", "/containers/create?name=" + name, body, more="Content-Type: application/json\n")[0], 201)
        config = json.loads(one("GET", "/containers/%s/json" % name)[1])["Config"]
        check((text, config["Cmd"], config["Labels"]), (text, want, {"cmd": "x", "Cmd": "y"}))
        check(one("DELETE", "/containers/" + name)[0], 204)


def vanishing(name):
    """Clients that go: the command stays, and ends as it would have."""
    x = exec_of(name, "sh", "-c", "echo began; read x </root/gate; exit 5")
    run(name, "mkfifo", "/root/gate")
    line = Line()
    check(line.ask("POST", "/exec/%s/start" % x, {}, UPGRADE).head()[0], 101)
    check(line.f.read(8)[0], 1)
    line.close()
    check(inspect_exec(x)["Running"], True)
    run(name, "sh", "-c", "echo >/root/gate")
    while inspect_exec(x)["Running"]:
        pass
    check(inspect_exec(x)["ExitCode"], 5)
    # in the middle of a request, of a body, of an answer, of a wait
    for text in ("GET /_pi", "GET /_ping HTTP/1.1\nHost: x\n", "PUT /containers/%s/archive?path=/root HTTP/1.1\nHost: x\n"
                 "Content-Length: 100000\n\nsome of it" % name, "GET /containers/%s/export HTTP/1.1\nHost: x\n\n" % name,
                 "POST /containers/%s/wait HTTP/1.1\nHost: x\n\n" % name, "GET /events HTTP/1.1\nHost: x\n\n",
                 "GET /containers/%s/stats HTTP/1.1\nHost: x\n\n" % name,
                 "GET /containers/%s/logs?follow=1&stdout=1 HTTP/1.1\nHost: x\n\n" % name):
        line = Line()
        line.say(text)
        line.close()
    check(json.loads(one("GET", "/containers/%s/json" % name)[1])["State"]["Running"], True)


def many():
    """Slow ones and busy ones beside each other."""
    slow = []
    for i in range(50):
        slow.append(Line())
        slow[-1].say("GET /_ping HTTP/1.1\nHos")
    lines = [Line() for _ in range(300)]
    for line in lines:
        line.ask("GET", "/_ping")
    check([line.answer() for line in lines], [(200, b"OK")] * 300)
    for line in lines[:50]:
        line.ask("GET", "/version")
    check([line.answer()[0] for line in lines[:50]], [200] * 50)
    for line in slow:
        line.say("t: x\n\n")
    check([line.answer() for line in slow], [(200, b"OK")] * 50)
    for line in lines + slow:
        line.close()


KEY = "Upgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"


def framed(data, op=2):
    """As a client sends it, masked."""
    mask = b"\1\2\3\4"
    return bytes([0x80 | op, 0x80 | len(data)]) + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(data))


def frame(line):
    op, n = line.f.read(2)
    if n == 126:
        n = int.from_bytes(line.f.read(2), "big")
    return op & 15, line.f.read(n)


def heard(line, wanted):
    """However many frames it comes in."""
    got = b""
    while len(got) < len(wanted):
        op, data = frame(line)
        check(op, 2)
        got += data
    check(got, wanted)


def websocket(name):
    """Attach by one: plain bytes in binary frames both ways, and the end of the container is a close."""
    container(name, Cmd=["sh", "-c", "read a; echo $a; read b; echo $b >&2; exit 3"], OpenStdin=True, StdinOnce=True)
    line = Line().ask("GET", "/v1.40/containers/%s/attach/ws?stdin=1&stdout=1&stderr=1&stream=1" % name, more=KEY)
    status, headers = line.head()
    check((status, headers["upgrade"], headers["sec-websocket-accept"]), (101, "websocket", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="))
    check(one("POST", "/containers/%s/start" % name)[0], 204)
    line.say(framed(b"one\n"))
    heard(line, b"one\n")
    line.say(framed(b"tw", op=1) + framed(b"o\n"))
    heard(line, b"two\n")
    check(frame(line)[0], 8)
    check(line.f.read(), b"")
    line.close()
    check(json.loads(one("POST", "/containers/%s/wait" % name)[1])["StatusCode"], 3)
    check(one("GET", "/containers/%s/attach/ws?stream=1" % name)[0], 400)
    check(one("DELETE", "/containers/" + name)[0], 204)
    check(one("GET", "/containers/nosuch/attach/ws?stream=1", more=KEY)[0], 404)
    check(one("GET", "/containers/nosuch/attach/ws?stream=1")[0], 404)


def cut_off(name):
    """A body that ends too early makes no image, wherever it ends; one that is none is refused before it ends."""
    whole = tar_of("a", b"x" * 600)
    line = Line().say_chunked("POST", "/v1.44/images/create?fromSrc=-&repo=%s" % name, whole[:1536])
    line.s.shutdown(socket.SHUT_WR)
    status, body = line.answer()
    check((status, json.loads(body)["message"]), (500, "unexpected EOF"))
    line.close()
    check(one("GET", "/images/%s/json" % name)[0], 404)
    for path in "/images/load", "/images/create?fromSrc=-&repo=" + name:
        line = Line().say_chunked("POST", "/v1.44" + path, b"no archive" * 1000)
        assert b"archive" in line.answer()[1]
        line.close()


def zeros_in_a_log(name):
    """Who attaches to what was said has every byte of it."""
    container(name, Cmd=["printf", "a\\0b\n"])
    check(one("POST", "/containers/%s/start" % name)[0], 204)
    check(one("POST", "/containers/%s/wait" % name)[0], 200)
    line = Line().ask("POST", "/v1.44/containers/%s/attach?logs=1&stdout=1" % name)
    check(line.head()[0], 200)
    check(line.frames(), (b"a\0b\n", b""))
    line.close()
    for tail in "x", "%200", "0%20", "-1", "99999999999999999999", "":  # no number, so all of it
        line = Line().ask("GET", "/v1.44/containers/%s/logs?stdout=1&tail=%s" % (name, tail))
        check((tail, line.answer()[1][8:]), (tail, b"a\0b\n"))
        line.close()
    check(one("DELETE", "/containers/" + name)[0], 204)


def empty_lists(name):
    """What is given empty is not what is not given."""
    keys = "Entrypoint", "Cmd", "OnBuild", "Shell", "Env"
    env = json.loads(one("GET", "/images/box/json")[1])["Config"]["Env"]
    check(one("POST", "/containers/create?name=" + name, {"Image": "box", "Entrypoint": ["e"], "Cmd": ["c"]})[0], 201)
    check(one("POST", "/commit?container=%s&repo=%s" % (name, name))[0], 201)
    check(one("DELETE", "/containers/" + name)[0], 204)
    for image, given, want in [
            ("box", {"Entrypoint": [], "Cmd": ["true"]}, ([], ["true"])),
            ("box", {"Entrypoint": [""], "Cmd": ["true"]}, (None, ["true"])),
            ("box", {"Entrypoint": "", "Cmd": ["true"]}, (None, ["true"])),
            ("box", {"Entrypoint": None, "Cmd": ["true"], "Env": [], "OnBuild": [], "Shell": []}, (None, ["true"], [])),
            ("box", {"Entrypoint": ["true"], "Cmd": [], "OnBuild": ["RUN x"], "Shell": ["/bin/x"]},
             (["true"], [], ["RUN x"], ["/bin/x"])),
            ("box", {"Entrypoint": ["true"], "Cmd": ""}, (["true"], [""])),
            (name, {"Cmd": ["true"]}, (["e"], ["true"])),
            (name, {"Entrypoint": [], "Cmd": ["true"]}, ([], ["true"])),
            (name, {"Entrypoint": []}, ([], ["c"])),
            (name, {"Entrypoint": [], "Cmd": []}, ([], ["c"])),
            (name, {"Entrypoint": "", "Cmd": ["true"]}, (None, ["true"])),
            (name, {"Entrypoint": ["x"]}, (["x"], None)),
            (name, {"Cmd": []}, (["e"], ["c"])),
    ]:
        check(one("POST", "/containers/create?name=" + name, dict(given, Image=image))[0], 201)
        config = json.loads(one("GET", "/containers/%s/json" % name)[1])["Config"]
        want = dict(zip(keys, tuple(want) + (None,) * 4), Env=env)
        check({k: config.get(k) for k in keys}, want)
        # an image of it has the same
        check(one("POST", "/commit?container=%s&repo=%s&tag=2" % (name, name))[0], 201)
        config = json.loads(one("GET", "/images/%s:2/json" % name)[1])["Config"]
        check({k: config.get(k) for k in keys}, want)
        check(one("DELETE", "/images/%s:2" % name)[0], 200)
        check(one("DELETE", "/containers/" + name)[0], 204)
    status, body = one("POST", "/containers/create", {"Image": name, "Entrypoint": [""]})
    check((status, json.loads(body)["message"]), (400, "no command specified"))
    check(one("DELETE", "/images/" + name)[0], 200)


if __name__ == "__main__":
    ping()
    smuggled()
    container(NAME)
    check(one("POST", "/containers/%s/start" % NAME)[0], 204)
    bodies(NAME)
    expect(NAME)
    streams(NAME)
    attached(NAME + "-a")
    left_open(NAME + "-o")
    websocket(NAME + "-w")
    body_of_a_stream(NAME + "-b")
    cut_off(NAME + "-c")
    zeros_in_a_log(NAME + "-z")
    empty_lists(NAME + "-l")
    forms(NAME + "-f")
    spellings(NAME + "-s")
    vanishing(NAME)
    many()
    check(one("GET", "/_ping"), (200, b"OK"))
    check(one("DELETE", "/containers/%s?force=1" % NAME)[0], 204)
