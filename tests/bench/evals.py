# SPDX-License-Identifier: Apache-2.0
"""The rows about `sbx eval` and its python client, compared with the function that people use now."""
import json
import os
import statistics
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

# now, as root, since an ordinary user may not be able to read this python's files
import programs  # noqa: E402
import sbx  # noqa: E402

HOST = "/usr/bin/python3"
SMALL = "print(sum(i * i for i in range(100)))"


class Call:
    """Something to measure other than a command: a function that returns milliseconds."""

    def __init__(self, name, run):
        self.name, self.run = name, run


class Reference:
    """tests/bench/reference.py, in a small process of its own, whose forks are cheap."""

    def __init__(self, program):
        self.process = subprocess.Popen([HOST, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        universal_newlines=True, bufsize=1)

    def run(self, code):
        self.process.stdin.write(json.dumps(code) + "\n")
        self.process.stdin.flush()
        ms, good = json.loads(self.process.stdout.readline())
        if not good:
            raise RuntimeError("the reference failed")
        return ms

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def timed(pool, code):
    begun = time.perf_counter()
    result = pool.run(code)
    took = (time.perf_counter() - begun) * 1000
    if not result.success:
        raise RuntimeError("%s: %s" % (code.split("\n")[0], result.error))
    return took


def mapped(pool, codes):
    begun = time.perf_counter()
    for result in pool.map(codes):
        if not result.success:
            raise RuntimeError(result.error)
    return (time.perf_counter() - begun) * 1000


class Lines:
    """`sbx eval --jsonl` without the cost of a client: all requests are prepared, and answers are only counted."""

    def __init__(self, argv, env, codes):
        self.process = subprocess.Popen(argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.lines = b"".join(json.dumps({"id": i, "code": code}).encode() + b"\n" for i, code in enumerate(codes))
        self.count = len(codes)

    def run(self):
        begun = time.perf_counter()
        writer = threading.Thread(target=self.process.stdin.write, args=(self.lines,))
        writer.start()
        answers, lines = [], 0
        while lines < self.count:
            answers.append(self.process.stdout.read(1 << 20) or b"\n" * self.count)  # it died: not enough successes
            lines += answers[-1].count(b"\n")
        writer.join()
        took = (time.perf_counter() - begun) * 1000
        if b"".join(answers).count(b'"success":true') != self.count:
            raise RuntimeError("not all succeeded")
        return took

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


class Evals:
    """Rows of the bench: methods of a class that has compare() and row()."""

    def pool(self, workers=1, **options):
        os.environ.update({k: v for k, v in self.env.items() if k.startswith("SBX_")})
        return sbx.Pool(workers, self.debian, sbx=self.sbx, **options)

    def script(self, name, source):
        path = "%s/%s.py" % (self.scratch, name)
        with open(path, "w") as f:
            f.write(source)
        return path

    def eval_warm(self):
        with self.pool() as pool, Reference(self.reference) as reference:
            warm = Call("sbx", lambda: timed(pool, SMALL))
            self.compare("eval: one warm snippet / multiprocessing.Manager and a child (not isolated)", 1 / 8, warm,
                         Call("reference", lambda: reference.run(SMALL)), 200, True)
            self.compare("eval: one warm snippet / python3 -c pass on the host", 1.0, warm,
                         self.host_python("-c", "pass"), 200, True)

    def eval_numpy(self):
        if subprocess.run([HOST, "-c", "import numpy"], stderr=subprocess.DEVNULL).returncode:
            raise self.Skip("the host's python3 has no numpy")
        with self.pool(preload=["numpy"]) as pool:
            self.compare("eval: import numpy, preloaded / python3 -c 'import numpy' on the host", 1 / 15,
                         Call("sbx", lambda: timed(pool, "import numpy")), self.host_python("-c", "import numpy"), 50, True)

    def eval_cold(self):
        path = self.script("small", SMALL)
        self.compare("sbx eval IMG script.py, one shot / python3 script.py on the host", 1.6,
                     self.step(("eval", self.debian, path)), self.host_python(path), 100, True)

    def eval_workers(self):
        codes = programs.programs() * (1 if self.QUICK else 4)
        argv = [[self.sbx, "eval", "--jsonl", "--unordered", "-j", n, self.debian] for n in ("1", "2")]
        with Lines(argv[0], self.env, codes) as one, Lines(argv[1], self.env, codes) as two:
            self.compare("eval: %d programs by one worker / by two" % len(codes), 1.8,
                         Call("two", two.run), Call("one", one.run), 7, False)

    def eval_programs(self):
        """Runs the programs one after the other in several ways; the table shows the time for one."""
        codes = programs.programs()
        paths = [self.script("p%d" % i, code) for i, code in enumerate(codes)]
        rounds = 1 if self.QUICK else 3
        with self.pool() as pool, self.pool(2) as two, Reference(self.reference) as reference:
            runners = [
                ("multiprocessing.Manager and a child, not isolated", lambda i: reference.run(codes[i])),
                ("python3 script.py on the host, not isolated", lambda i: self.host_python(paths[i]).run()),
                ("sbx eval IMG script.py", lambda i: self.step(("eval", self.debian, paths[i])).run()),
                ("sbx eval, warm, from python", lambda i: timed(pool, codes[i])),
            ]
            times = [[[] for _ in codes] for _ in runners]
            for turn in range(rounds + 1):
                for i in range(len(codes)):
                    for (_, run), took in zip(runners, times):
                        ms = run(i)
                        if turn:
                            took[i].append(ms)
            together = statistics.median(mapped(two, codes) for _ in range(rounds + 1))
        each = [[statistics.median(t) for t in took] for took in times]
        first = sum(each[0])
        lines = ["%d small programs with asserts, one after the other, milliseconds:" % len(codes), "",
                 "| | all | median | slowest | times as fast |", "| --- | --- | --- | --- | --- |"]
        for (name, _), took in zip(runners, each):
            lines.append("| %s | %.0f | %.2f | %.1f | %.1f |" % (name, sum(took), statistics.median(took), max(took),
                                                                first / sum(took)))
        lines.append("| sbx eval, warm, from python, by two workers | %.0f | | | %.1f |" % (together, first / together))
        self.tables.append("\n".join(lines))
        print("\n".join(lines), flush=True)

    def eval_endurance(self):
        """Takes minutes, so it runs only if it is named."""
        count = 2000 if self.QUICK else 100000
        with self.pool(2) as pool:
            def look():
                pids = family(pool._line._child.process.pid)
                pids |= {p for p in map(int, filter(str.isdigit, os.listdir("/proc"))) if self.is_ours(p)}
                return (sum(resident(p) for p in pids), len(pids), sum(descriptors(p) for p in pids),
                        sum(len(f) for root in ("SBX_ROOT", "SBX_RUNTIME") for _, _, f in os.walk(self.env[root])))

            def holds():
                """The least of several looks, so that a spare child that is just being made does not count."""
                seen = []
                for _ in range(10):
                    time.sleep(0.1)
                    seen.append(look())
                return tuple(map(min, zip(*seen)))

            def run(n):
                # a long timeout: no time is measured, so this may run beside other work, and be stopped for a while
                for result in pool.map(("print(%d)" % i for i in range(n)), timeout=600):
                    if not result.success:
                        raise RuntimeError(result.error)
            run(1000)
            before = holds()
            begun = time.perf_counter()
            run(count)
            took = time.perf_counter() - begun
            after = holds()
        print("%d snippets in %.0f s: KB, processes, descriptors, files before %r, after %r"
              % (count, took, before, after), flush=True)
        self.row("eval: memory after %d snippets / after 1000" % count, 1.1, after[0] / before[0], after[0],
                 before[0], ("after", "before"), True, "KB")
        for what, a, b in zip(("processes", "descriptors", "files"), after[1:], before[1:]):
            self.row("eval: more %s after %d snippets than after 1000" % (what, count), 0, a - b, a, b,
                     ("after", "before"), True, "")

    def host_python(self, *arguments):
        return self.Step("host python3", [HOST] + list(arguments))

    def is_ours(self, pid):
        try:
            with open("/proc/%d/environ" % pid, "rb") as f:
                mine = ("SBX_ROOT=" + self.env["SBX_ROOT"] + "\0").encode() in f.read()
            return mine and pid != os.getpid()
        except OSError:
            return False


def family(pid):
    """The process and its descendants."""
    parents = {}
    for p in map(int, filter(str.isdigit, os.listdir("/proc"))):
        try:
            with open("/proc/%d/stat" % p) as f:
                parents[p] = int(f.read().rpartition(")")[2].split()[1])
        except OSError:
            pass
    found = {pid}
    while True:
        more = {p for p, of in parents.items() if of in found} - found
        if not more:
            return found
        found |= more


def resident(pid):
    """KB of its proportional share of memory; of a process that hides this, of its anonymous memory."""
    for name, fields in (("smaps_rollup", ("Pss:",)), ("status", ("RssAnon:", "RssShmem:"))):
        try:
            with open("/proc/%d/%s" % (pid, name)) as f:
                return sum(int(x.split()[1]) for x in f if x.startswith(fields))
        except OSError:
            pass
    return 0


def descriptors(pid):
    try:
        return len(os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return 0
