# SPDX-License-Identifier: Apache-2.0
"""How a benchmark of repairs is evaluated: a container for each instance, a patch and a script copied in, the
script run with a time limit, what it printed read, everything removed; eight at once."""
import os
import signal
import sys
import threading
import time

from client import check, client, tar_of

SCRIPT = b"#!/bin/sh\ncd /testbed && cat patch.diff && echo >&2 tests ran && exit %d\n"
FOREVER = b"#!/bin/sh\necho began\nwhile :; do :; done\n"


def run_with_limit(c, k, cmd, seconds):
    """As harnesses do it: a thread reads, and what takes too long is killed by the pid that inspect gave. What takes too
    long here has begun before."""
    out, e = [], c.api.exec_create(k.id, cmd)["Id"]

    def read():
        for chunk in c.api.exec_start(e, stream=True):
            out.append(chunk)

    t = threading.Thread(target=read)
    t.start()
    while not out and t.is_alive():
        time.sleep(0.01)
    t.join(seconds)
    late = t.is_alive()
    if late:
        os.kill(c.api.exec_inspect(e)["Pid"], signal.SIGKILL)
        t.join()
    return b"".join(out), late, c.api.exec_inspect(e)["ExitCode"]


def instance(n):
    c = client()
    assert c.images.get("box")
    k = c.containers.create(image="box", name="%s.%d" % (sys.argv[1], n), user="root", detach=True,
                            command="tail -f /dev/null", cap_add=["SYS_ADMIN"])
    k.start()
    check(k.exec_run("mkdir -p /testbed", user="root").exit_code, 0)
    k.put_archive("/testbed", tar_of({"patch.diff": b"patch %d\n" % n}))
    endless = n % 4 == 3
    k.put_archive("/", tar_of({"eval.sh": FOREVER if endless else SCRIPT % n}))
    out, late, code = run_with_limit(c, k, "/bin/sh /eval.sh", 1 if endless else 150)
    if endless:
        check((out, late, code), (b"began\n", True, 137))
    else:
        check((out, late, code), (b"patch %d\ntests ran\n" % n, False, n))
    pid = c.api.inspect_container(k.id)["State"]["Pid"]
    os.kill(pid, signal.SIGKILL)
    check(k.wait()["StatusCode"], 137)
    k.stop(timeout=1)
    k.remove(force=True)
    done.append(n)


done = []
begun = time.time()
threads = [threading.Thread(target=instance, args=(n,)) for n in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
check(sorted(done), list(range(8)))
