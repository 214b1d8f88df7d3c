# SPDX-License-Identifier: Apache-2.0
"""Clients that go in every state there is, slow ones, and hundreds at once; then the server holds what it held before."""
import json
import os
import sys

from killed import children, eventually
from wire import Line, check, container, exec_of, inspect_exec, one, run, tar_of

NAME, SERVER = sys.argv[1], int(sys.argv[2])
IDLE, ACTIVE = 400, 100
UPGRADE = "Connection: Upgrade\nUpgrade: tcp\n"


def descriptors():
    return len(os.listdir("/proc/%d/fd" % SERVER))


def resident():
    with open("/proc/%d/status" % SERVER) as f:
        return next(int(x.split()[1]) for x in f if x.startswith("VmRSS:"))


def unfinished():
    """What is written under another name until it is whole."""
    return [f for d in ("layers", "images") for f in os.listdir(os.environ["SBX_ROOT"] + "/" + d) if f.startswith(".")]


def alone(what):
    eventually(lambda: not children(SERVER), "no connection is left after " + what)
    check(unfinished(), [])


def answers(*args):
    """Asked, and the first byte of its answer's body has come."""
    line = Line()
    check(line.ask(*args).head()[0] in (101, 200), True)
    line.f.read(1)
    return line


def asks(*args):
    """Asked, and its head has come."""
    line = Line()
    check(line.ask(*args).head()[0] in (101, 200), True)
    return line


def uploads(method, path, data):
    """Told to go on, and some of the body is sent."""
    line = Line()
    line.say("%s %s HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: %d\n\n" % (method, path, len(data)))
    check(line.head()[0], 100)
    line.say(data[:len(data) // 2])
    return line


def half(text):
    line = Line()
    line.say(text)
    return line


def everywhere():
    """Each state, three times over."""
    c = "/containers/" + NAME
    image = one("GET", "/images/box/get")[1]
    x = [exec_of(NAME, "sh", "-c", "echo began; exec sleep 1000", AttachStdin=True) for _ in range(3)]
    check(one("POST", "/containers/%s/exec" % NAME, {"Cmd": ["true"]})[0], 201)
    states = {
        "a request's first line": lambda i: half("GET /_pi"),
        "its headers": lambda i: half("GET /_ping HTTP/1.1\nHost: x\n"),
        "a body of JSON": lambda i: half("POST /containers/create HTTP/1.1\nHost: x\nContent-Type: application/json\n"
                                         "Content-Length: 100\n\n{\"Image\":"),
        "a body in chunks": lambda i: half("POST /containers/create HTTP/1.1\nHost: x\nContent-Type: application/json\n"
                                           "Transfer-Encoding: chunked\n\n9\n{\"Image\":\n5\n"),
        "an upload of files": lambda i: uploads("PUT", c + "/archive?path=/root", tar_of("half%d" % i, b"x" * 100000)),
        "an upload of images": lambda i: uploads("POST", "/images/load", image),
        "an upload of an image": lambda i: uploads("POST", "/images/create?fromSrc=-&repo=half", image),
        "a download of files": lambda i: answers("GET", c + "/archive?path=/"),
        "an export": lambda i: answers("GET", c + "/export"),
        "a download of images": lambda i: answers("GET", "/images/box/get"),
        "logs": lambda i: answers("GET", c + "/logs?stdout=1&follow=1"),
        "silent logs": lambda i: asks("GET", c + "/logs?stderr=1&follow=1"),
        "statistics": lambda i: answers("GET", c + "/stats"),
        "events": lambda i: answers("GET", "/events?since=1"),
        "silent events": lambda i: asks("GET", "/events?filters={%22image%22:[%22nosuch%22]}"),
        "an attach": lambda i: asks("POST", c + "/attach?stream=1&stdout=1&stdin=1", None, UPGRADE),
        "an attach to what does not run": lambda i: asks("POST", c + "-s/attach?stream=1&stdout=1", None, UPGRADE),
        "an exec": lambda i: answers("POST", "/exec/%s/start" % x[i], {}, UPGRADE),
        "a wait": lambda i: asks("POST", c + "/wait"),
        "a wait for the next end": lambda i: asks("POST", c + "-s/wait?condition=next-exit"),
        "a wait for the removal": lambda i: asks("POST", c + "-s/wait?condition=removed"),
        "nothing": lambda i: half(""),
    }
    for state, enter in states.items():
        for line in [enter(i) for i in range(3)]:
            line.close()
        if state == "an exec":  # which goes on
            for each in x:
                check(inspect_exec(each)["Running"], True)
                os.kill(inspect_exec(each)["Pid"], 9)
        alone(state)
    run(NAME, "sh", "-c", "test -z \"$(ls -A /root)\"")  # of the uploads nothing is left


def reused():
    """A wait ends with its client, but not what is asked for on the same connection after its answer."""
    for first in ("POST", "/containers/%s-s/wait" % NAME), ("GET", "/events?until=1"), \
                 ("GET", "/containers/%s/stats?stream=0" % NAME):
        line = Line()
        check(line.ask(*first).answer()[0], 200)
        x = exec_of(NAME, "sh", "-c", "until [ -e /go ]; do usleep 20000; done; exit 5")
        check(line.ask("POST", "/exec/%s/start" % x, {}, UPGRADE).head()[0], 101)
        line.close()
        run(NAME, "touch", "/go")
        eventually(lambda: not inspect_exec(x)["Running"], "the exec ends")
        check(inspect_exec(x)["ExitCode"], 5)
        run(NAME, "rm", "/go")
    alone("requests after others")


def slowly(line, data):
    """Byte for byte at both ends."""
    edge = 300
    for i in range(min(edge, len(data))):
        line.say(data[i:i + 1])
    line.say(data[edge:-edge])
    for i in range(max(edge, len(data) - edge), len(data)):
        line.say(data[i:i + 1])


def slow():
    """Who sends byte by byte is served; who does not read holds up nobody."""
    image, tar = one("GET", "/images/box/get")[1], tar_of("slow", b"data" * 3000)
    body = json.dumps({"Cmd": ["true"]}).encode()
    for method, path, data, want in (("POST", "/containers/%s/exec" % NAME, body, 201), ("POST", "/images/load", image, 200),
                                     ("PUT", "/containers/%s/archive?path=/root" % NAME, tar, 200)):
        line = Line()
        slowly(line, b"%s %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
               % (method.encode(), path.encode(), len(data)))
        slowly(line, data)
        check(line.answer()[0], want)
        line.close()
    run(NAME, "sh", "-c", "test $(wc -c </root/slow) = 12000")
    deaf = [answers("GET", path) for path in ("/containers/%s/export" % NAME, "/images/box/get", "/events?since=1",
                                              "/containers/%s/stats" % NAME,
                                              "/containers/%s/logs?stdout=1&follow=1" % NAME) for _ in range(5)]
    x = exec_of(NAME, "sh", "-c", "while :; do echo much; done")
    deaf.append(answers("POST", "/exec/%s/start" % x, {}, UPGRADE))
    check([one("GET", "/_ping")[0] for _ in range(20)], [200] * 20)
    for line in deaf:
        line.close()
    os.kill(inspect_exec(x)["Pid"], 9)
    # one that reads a byte at a time gets all of it
    line = Line()
    line.ask("GET", "/containers/%s/logs?stdout=1&follow=0" % NAME, None, "Connection: close\n")
    got = b""
    while True:
        byte = line.s.recv(1)
        got += byte
        if not byte:
            break
    check(got.count(b"line"), 100)
    line.close()
    alone("slow clients")


def hundreds():
    idle = [Line() for _ in range(IDLE)]
    for line in idle:
        check(line.ask("GET", "/_ping").answer(), (200, b"OK"))
    active = [Line() for _ in range(ACTIVE)]
    for line in active:
        line.ask("GET", "/containers/%s/json" % NAME)
    answers_ = [line.answer() for line in active]
    check([(status, json.loads(body)["State"]["Running"]) for status, body in answers_], [(200, True)] * ACTIVE)
    execs = [exec_of(NAME, "echo", str(i)) for i in range(40)]
    for line, x in zip(active, execs):
        line.ask("POST", "/exec/%s/start" % x, {}, UPGRADE)
    for i, line in enumerate(active[:len(execs)]):
        check(line.head()[0], 101)
        check(line.frames(), (b"%d\n" % i, b""))
    for line in idle:
        check(line.ask("GET", "/_ping").answer(), (200, b"OK"))
    for line in idle + active:
        line.close()
    alone("hundreds of connections")


container(NAME, Cmd=["sh", "-c", "for i in $(seq 100); do echo line; done; exec sleep 1000"], OpenStdin=True)
container(NAME + "-s")
check(one("POST", "/containers/%s/start" % NAME)[0], 204)
alone("the beginning")
before = descriptors(), resident()
everywhere()
reused()
slow()
hundreds()
check(descriptors(), before[0])
assert resident() < before[1] + 1024 or os.environ.get("SBX_TEST_SANITIZED"), (before[1], resident())
check(json.loads(one("GET", "/containers/%s/json" % NAME)[1])["State"]["Running"], True)
for name in NAME, NAME + "-s":
    check(one("DELETE", "/containers/%s?force=1" % name)[0], 204)
