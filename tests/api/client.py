# SPDX-License-Identifier: Apache-2.0
"""What the tests with docker-py share: client(), and check(), which says what was wrong."""
import io
import random
import socket
import tarfile

import docker


def client(**kw):
    return docker.from_env(timeout=150, **kw)


def check(got, want):
    assert got == want, "got %.2000r, wanted %.2000r" % (got, want)


def refused(status, words, call, *args, **kw):
    """The daemon must refuse it like this."""
    try:
        call(*args, **kw)
    except docker.errors.APIError as e:
        check(e.status_code, status)
        assert words in e.explanation, "no %r in %r" % (words, e.explanation)
        return e
    raise AssertionError("%r was not refused" % call)


def free_ports(n):
    """Of those that the machine does not give to whom it likes, and no other test takes (publish.bats)."""
    found = []
    while len(found) < n:
        port = random.randrange(30000, 32700)
        with socket.socket() as s:
            try:
                s.bind(("", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def untar(chunks):
    with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as t:
        return {m.name: t.extractfile(m).read() if m.isfile() else None for m in t}
