# SPDX-License-Identifier: Apache-2.0
"""Two hundred execs at once, each with a megabyte that must come whole; what the server holds meanwhile."""
import os
import sys
import threading

from client import check, client

STREAMS, BYTES, HELD = 200, 1 << 20, 50 << 20
name, server = sys.argv[1], int(sys.argv[2])
# Each byte tells where it stands, so that a lost, doubled or swapped piece shows.
PROGRAM = "i=0; while [ $i -lt %d ]; do printf '%%015d\\n' $i; i=$((i+1)); done >/tmp/data" % (BYTES // 16)
WANTED = b"".join(b"%015d\n" % i for i in range(BYTES // 16))


def held():
    """Bytes of the server and of its connections' processes, what they share counted once."""
    sum_, mine = 0, {server}
    for pid in sorted(int(p) for p in os.listdir("/proc") if p.isdigit()):
        try:
            with open("/proc/%d/stat" % pid, errors="replace") as f:
                parent = int(f.read().rpartition(")")[2].split()[1])
            if pid != server and parent != server:
                continue
            with open("/proc/%d/smaps_rollup" % pid) as f:
                sum_ += sum(int(line.split()[1]) << 10 for line in f if line.startswith("Pss:"))
        except (OSError, IndexError):
            pass  # it has ended
    return sum_


def one(i):
    c = client()
    e = c.api.exec_create(k.id, ["cat", "/tmp/data", "/tmp/gate"])["Id"]
    out = c.api.exec_start(e, stream=True)
    got, begun = b"", False
    for chunk in out:
        got += chunk
        if len(got) >= BYTES and not begun:
            begun = True
            meet.wait()
    check(got == WANTED, True)
    check(c.api.exec_inspect(e)["ExitCode"], 0)
    whole.append(i)
    c.close()


c = client()
k = c.containers.run("box", "sleep 1000", name=name, detach=True, network_mode="none")
check(k.exec_run(["sh", "-c", PROGRAM + "; mkfifo /tmp/gate"]).exit_code, 0)
whole, meet = [], threading.Barrier(STREAMS + 1)
threads = [threading.Thread(target=one, args=(i,)) for i in range(STREAMS)]
for t in threads:
    t.start()
meet.wait(600)
most = held()
check(k.exec_run(["sh", "-c", "exec 3>/tmp/gate"]).exit_code, 0)
for t in threads:
    t.join()
check(len(whole), STREAMS)
print("%d streams of %d bytes, %.1f MB held" % (STREAMS, BYTES, most / 1e6))
assert most < HELD or os.environ.get("SBX_TEST_SANITIZED"), most
k.remove(force=True)
