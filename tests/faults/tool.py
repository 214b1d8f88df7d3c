# SPDX-License-Identifier: Apache-2.0
"""Shared by the programs of tests/faults: a store of their own, and sbx in it, with and without a fault."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

INJECT, SBX, IMAGE = (os.path.abspath(a) for a in sys.argv[1:4])
OPTIONS = dict(a.split("=", 1) for a in sys.argv[4:])
EVERY, START = int(OPTIONS.get("every", 1)), int(OPTIONS.get("start", 1))
MOST = 25  # samples of a process
SECONDS = int(OPTIONS.get("seconds", 60))  # what takes longer hangs, even on a busy machine

SERVERS = ("sbx-layers", "sbx-seeds")  # they stay for the next command

top = tempfile.mkdtemp(prefix="sbx-f.", dir=os.environ.get("TMPDIR", "/tmp"))
env = dict(os.environ, SBX_ROOT=top + "/d", SBX_RUNTIME=top + "/r", LC_ALL="C.UTF-8", SBX_LAYERS_IDLE="2")
report = top + "/report"
os.mkdir(top + "/v")


def each_call(calls, most=None):
    """Which of a process's calls are tried: no more than about `most`. If only samples are wanted (every=), no more than about
    MOST: a process that looks at all processes of the machine has as many calls as there are of these."""
    least = calls // most if most else 1 if EVERY == 1 else calls // MOST
    return range(START, calls + 1, max(EVERY, least))


def sbx(*words, program=SBX, **more):
    return subprocess.run([program, *words], env=env, stdin=more.pop("stdin", subprocess.DEVNULL), capture_output=True,
                          text=True, errors="replace", timeout=SECONDS, **more)


def stays(pid):
    """Whether a process is still there after a time in which it would have ended even on a busy machine."""
    until = time.monotonic() + SECONDS / 2
    while time.monotonic() < until:
        try:
            with open("/proc/%s/stat" % pid, errors="replace") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return False
        except OSError:
            return False
        time.sleep(0.05)
    return True


LOOKED = "inside", "open", "named", "last", "met"
seen = []  # the lines of inject's report about -l and -w
servers = []  # the servers that were started and stay


def inject(words, *which, program=SBX, may_stay=False):
    """(status, output, errors, {process: calls}, the system call that was chosen, processes left); status None: it hung"""
    if os.path.exists(report):
        os.unlink(report)
    p = subprocess.Popen([INJECT, *which, "-o", report, program, *words], env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                         start_new_session=True)
    try:
        out, err = p.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)  # its tracees go with it
        out, err = p.communicate()
        return None, out, err, {}, None, []
    calls, failed, left = {}, None, []
    del seen[:], servers[:]
    with open(report) as f:
        for line in f:
            kind, rest = line.split(" ", 1)
            if kind == "failed":
                failed = int(rest)
            elif kind in LOOKED:
                seen.append(line.strip())
            elif kind == "left":
                pid, _, comm = rest.strip().partition(" ")
                servers.extend([int(pid)] if comm in SERVERS else [])
                left += [comm] if comm not in SERVERS and not may_stay and stays(pid) else []
            else:
                calls[kind] = int(rest)
    return p.returncode, out, err, calls, failed, left


def left_behind(containers=True):
    """What is still left of containers after the next commands have cleaned up what they can; None: nothing."""
    sbx("ps")
    ids = sbx("ps", "-aq").stdout.split()
    if ids and containers:
        gone = sbx("rm", "-f", *ids)
        if gone.returncode:
            return "cannot be removed: " + gone.stderr.strip()
        ids = []
    for place in env["SBX_ROOT"] + "/containers", env["SBX_RUNTIME"] + "/c":
        if os.path.isdir(place):
            # for a minute, a creator that died cannot be told from one at work
            rest = [n for n in os.listdir(place)
                    if not n.startswith(".new-") and not any(n.startswith(i) for i in ids)]
            if rest:
                return "%s: %s" % (place, " ".join(rest))
    with open("/proc/self/mountinfo") as f:
        if top in f.read():
            return "a mount"
    return None


def finish():
    for place, directories, _ in os.walk(top):
        for name in directories:  # overlayfs's work directories have mode 0
            if not os.path.islink(os.path.join(place, name)):
                os.chmod(os.path.join(place, name), 0o700)
    shutil.rmtree(top, ignore_errors=True)
