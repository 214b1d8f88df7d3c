# SPDX-License-Identifier: Apache-2.0
"""The command of a `serve -- COMMAND`: an exec that it starts and leaves, and one whose client goes away, do not hold what
the server's reader reads. One that has ended is no zombie of a connection that says nothing more."""
import os
import sys
import time

from client import check, client

c = client()
k = c.containers.get(sys.argv[1])


def zombies():
    """Of the processes of the server's connections, which are our parent's children."""
    found, parents = [], {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % entry, errors="replace") as f:
                state, parent = f.read().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it has ended
        parents[int(entry)] = int(parent)
        if state == "Z":
            found.append((entry, int(parent)))
    return [z for z, parent in found if parents.get(parent) == os.getppid()]


e = c.api.exec_create(k.id, "true")["Id"]
c.api.exec_start(e, detach=True)
other = client()  # the first one is silent from here on
for _ in range(3000):
    if not other.api.exec_inspect(e)["Running"] and not zombies():
        break
    time.sleep(0.02)
check(zombies(), [])
check(other.api.exec_inspect(e)["ExitCode"], 0)

k.exec_run("sleep 100000", detach=True)
k.exec_run("sleep 100000", stdin=True, socket=True)
print("begun", flush=True)
os._exit(0)
