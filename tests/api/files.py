# SPDX-License-Identifier: Apache-2.0
import bz2
import gzip
import json
import lzma
import subprocess
import sys
import tempfile
import time

from client import check, client, refused, tar_of, untar

c = client()


def put(k, tar, **params):
    """By hand: what clients of other languages may ask for."""
    r = c.api.put(c.api._url("/containers/{0}/archive", k.id), params={"path": "/tmp", **params}, data=tar)
    return r.status_code, r.json()["message"] if r.content else ""


def extracted(k):
    """How often its events say so."""
    asked = {"since": 0, "until": "%.9f" % time.time(), "filters": json.dumps({"container": [k.id], "event": ["extract-to-dir"]})}
    return c.api.get(c.api._url("/events"), params=asked).text.count("extract-to-dir") // 2  # status, Action


k = c.containers.create("box", "sleep 1000", name=sys.argv[1])
check(k.put_archive("/tmp", tar_of({"early": b"before it ran"})), True)
k.start()
check(k.exec_run("cat /tmp/early").output, b"before it ran")
big = bytes(range(256)) * 8192
check(k.put_archive("/tmp", tar_of({"big": big})), True)
chunks, stat = k.get_archive("/tmp/big")
check(untar(chunks), {"big": big})
check((stat["name"], stat["size"], stat["mode"]), ("big", len(big), 0o755))
for squeeze in (gzip.compress, bz2.compress, lzma.compress):
    inner = squeeze(big)  # gzip writes the time
    check(k.put_archive("/tmp", squeeze(tar_of({"squeezed": inner}))), True)
    check(untar(k.get_archive("/tmp/squeezed")[0]), {"squeezed": inner})
holes = "truncate -s 1000000 sparse && echo end >>sparse && tar --format=posix -Sc sparse"
with tempfile.TemporaryDirectory() as d:
    check(k.put_archive("/tmp", subprocess.run(["sh", "-c", holes], cwd=d, check=True, stdout=subprocess.PIPE).stdout), True)
check(untar(k.get_archive("/tmp/sparse")[0]), {"sparse": bytes(1000000) + b"end\n"})
check(k.put_archive("/tmp", b""), True)
refused(500, "unexpected EOF", k.put_archive, "/tmp", gzip.compress(tar_of({"big": big}))[:-20])
refused(404, "Could not find the file /nosuch in container", k.get_archive, "/nosuch")
refused(404, "Could not find the file /nosuch in container", k.put_archive, "/nosuch", tar_of({}))
check(k.exec_run("mkdir /tmp/dir").exit_code, 0)
check(put(k, tar_of({"dir": b"a file"}), noOverwriteDirNonDir="1"),
      (400, 'cannot overwrite directory "/tmp/dir" with non-directory "/tmp"'))
check(k.exec_run("touch /tmp/dir/there").exit_code, 0)
check(put(k, tar_of({"dir": b"a file"})), (200, ""))
check(k.exec_run("cat /tmp/dir").output, b"a file")
check(k.exec_run("chmod 6751 /tmp/dir").exit_code, 0)
check(k.get_archive("/tmp/dir")[1]["mode"], 0o751 | 1 << 23 | 1 << 22)  # as Go's os.FileMode has these bits
check(k.get_archive("/tmp")[1]["mode"], 0o777 | 1 << 31 | 1 << 20)
for path, mode in ("/tmp/dir", 0o106751), ("/etc", 0o040755), ("/bin/sh", 0o120777):  # as docker has them in headers
    check((path, int(b"".join(k.get_archive(path)[0])[100:107], 8)), (path, mode))
k.exec_run("ln -s /etc /tmp/link")
check(k.get_archive("/tmp/link")[1]["linkTarget"], "/etc")
k.kill()
check(untar(k.get_archive("/tmp/early")[0]), {"early": b"before it ran"})
k.start()
# The kernel's own files are not the container's.
for path in "/proc/self", "/proc/cpuinfo", "/sys/kernel", "/sys/kernel/":
    refused(404, "Could not find the file %s in container" % path, k.get_archive, path)
    check(c.api.head(c.api._url("/containers/{0}/archive", k.id), params={"path": path}).status_code, 404)
check(untar(k.get_archive("/proc")[0]), {"proc": None})
check(untar(k.get_archive("/sys/.")[0]), {".": None})
# Nothing is above the root; but above another directory there is.
check(put(k, tar_of({"../up": b"up"}), path="/"), (200, ""))
check(k.exec_run("cat /up").output, b"up")
check(put(k, tar_of({"../up": b"up"})), (500, '"../up" is outside of "/tmp"'))
# What was not extracted is not told of.
before = extracted(k)
check(put(k, b"no archive" * 1000)[0], 500)
check(put(k, tar_of({"a": b""}), path="/nosuch")[0], 404)
check(extracted(k), before)
check(put(k, tar_of({"a": b""}))[0], 200)
check(extracted(k), before + 1)
k.kill()
assert "tmp/early" in untar(k.export())
k.remove()

k = c.containers.create("box", "true", name=sys.argv[1], read_only=True)
check(put(k, tar_of({"a": b""})), (403, "container rootfs is marked read-only"))
k.remove()

v = c.volumes.create(sys.argv[1], labels={"a": "b"})
check(v.attrs["Labels"], {"a": "b"})
k = c.containers.run("box", "sleep 1000", volumes={v.name: {"bind": "/v"}}, detach=True)
refused(409, "volume is in use", v.remove)
k.remove(force=True)
v.remove()
refused(404, "no such volume", c.volumes.get, v.name)
assert {"none", "host", "bridge"} <= {n.name for n in c.networks.list()}
n = c.networks.create(sys.argv[1])
check(c.networks.get(n.id).name, sys.argv[1])
n.remove()
