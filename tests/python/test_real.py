# SPDX-License-Identifier: Apache-2.0
"""The python client and `sbx eval` together, in the python image."""
import asyncio
import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "lib", "python"))

import sbx  # noqa: E402

IMAGE = os.path.join(os.environ.get("SBX_IMAGES", ""), "python.sqsh")
SMALL = 64 * 1024 * 1024


def stat_of(pid):
    """State and parent, or two nothings."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None, None


def lives(pid):
    return stat_of(pid)[0] not in (None, "Z", "X")


def family(pid):
    """It, and all that descends from it."""
    parents = {p: stat_of(p)[1] for p in map(int, filter(str.isdigit, os.listdir("/proc")))}
    found = {pid}
    while True:
        more = {p for p, of in parents.items() if of and int(of) in found} - found
        if not more:
            return {p for p in found if lives(p)}
        found |= more


def eventually(true):
    for _ in range(3000):
        if true():
            return
        time.sleep(0.01)
    raise AssertionError("it never came true")


def removed(path):
    shutil.rmtree(path, ignore_errors=True)
    return not os.path.exists(path)


@unittest.skipUnless(os.path.exists(IMAGE) and os.environ.get("SBX"), "no package gives it: sbx and its python image")
@unittest.skipIf(os.environ.get("SBX_TEST_SANITIZED"),
                 "no package gives it: sanitizers with which a pool's programs fit into a container's memory limit")
class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.mkdtemp(prefix="real.", dir="/tmp")
        cls.saved = dict(os.environ)
        os.environ.update(SBX_EVAL_IMAGE=IMAGE, SBX_ROOT=cls.scratch + "/d", SBX_RUNTIME=cls.scratch + "/r",
                          SBX_LAYERS_IDLE="5")

    @classmethod
    def tearDownClass(cls):
        for pool in sbx._shared.values():
            pool.close()
        sbx._shared.clear()
        os.environ.clear()
        os.environ.update(cls.saved)
        # who ends a pool does not wait until its container is taken apart
        eventually(lambda: removed(cls.scratch))

    def test_results(self):
        """execute_code: each end has its own result"""
        e = sbx.execute_code
        self.assertEqual(e("print(6 * 7)"), sbx.ExecutionResult(True, "42\n", "", None, False, False))
        r = e("import sys\nprint('o')\nprint('e', file=sys.stderr)\n{}['key']")
        self.assertEqual((r.success, r.stdout, r.error, r.error_line), (False, "o\n", "KeyError: 'key'", 4))
        self.assertTrue(r.stderr.startswith("e\nTraceback"), r.stderr)
        self.assertIn('main.py", line 4', r.traceback)
        r = e("print(1, flush=True)\nwhile True: pass", timeout=3)
        self.assertEqual((r.success, r.timeout, r.stdout, r.error, r.reason), (False, True, "1\n", "timed out", "timeout"))
        r = e("x = bytearray(10 ** 9)", maximum_memory_bytes=SMALL)
        self.assertEqual((r.success, r.memory_exceeded, r.timeout), (False, True, False))
        r = e("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)")
        self.assertEqual((r.success, r.error, r.exit_code), (False, "killed by signal 11", 139))
        self.assertEqual((e("import sys; sys.exit(3)").exit_code, e("import sys; sys.exit(0)").success), (3, True))
        self.assertIn("SyntaxError", e("x = (").error)
        self.assertIn("null bytes", e("a\0b").error)
        self.assertIn("EOFError", e("input()").error)
        self.assertTrue(e("print('x' * 10_000_000)").truncated)

    def test_readme(self):
        """the README's example holds"""
        with open(os.path.join(HERE, "..", "..", "README.md")) as f:
            source = f.read().split("```python\n")[1].split("```")[0]
        space = {}
        exec(compile(source, "README.md", "exec"), space)
        self.assertEqual(space["outputs"], ["%d\n" % (n ** 2) for n in range(100)])

    def test_options(self):
        """submit: standard input, variables, files, seed, imports, redaction"""
        pool = sbx._shared_pool()
        self.assertEqual(pool.run("print(input()[::-1])", stdin="abc\n").stdout, "cba\n")
        r = pool.run("y = [x, {'k': None}]", variables={"x": 2.5}, return_variables=["y"])
        self.assertEqual(r.variables, {"y": [2.5, {"k": None}]})
        r = pool.run("open('out.bin', 'wb').write(open('in.bin', 'rb').read()[::-1])",
                     files={"in.bin": b"\xff\0\1"}, collect=["*.bin"])
        self.assertEqual(r.files, {"in.bin": b"\xff\0\1", "out.bin": b"\1\0\xff"})
        dice = [pool.run("import random; print(random.random())", seed=s).stdout for s in (1, 1, 2, None, None)]
        self.assertEqual(len(set(dice)), 4)
        self.assertIn("ImportError", pool.run("import socket", deny_import=["socket"]).error)
        self.assertNotIn("hunter2", pool.run("print('password=hunter2')", redact=True).stdout)

    def test_isolated(self):
        """nothing that a snippet does reaches the next, or this machine"""
        pool = sbx._shared_pool()
        pool.run("import builtins; builtins.print = None; open('/work/left', 'w').write('x')\n"
                 "import os; os.system('sleep 1000 &')")
        r = pool.run("import os; print(os.listdir('/work'), sorted(p for p in os.listdir('/proc') if p.isdigit()))")
        self.assertTrue(r.stdout.startswith("['main.py'] ['1'"), r.stdout)
        self.assertNotIn(HERE, pool.run("import os; print(os.environ, os.path.exists(%r))" % HERE).stdout)
        self.assertIn("OSError", pool.run("import socket; socket.create_connection(('1.1.1.1', 53), 1)").error)

    def test_many(self):
        """threads, tasks and a map at once on one pool"""
        with sbx.Pool(2) as pool:
            got = []
            threads = [threading.Thread(target=lambda n=n: got.extend(
                pool.run("print(%d)" % (n * 100 + i)).stdout for i in range(15))) for n in range(6)]
            for t in threads:
                t.start()

            async def tasks():
                return await asyncio.gather(*(pool.run_async("print(%d)" % i) for i in range(1000, 1040)))
            self.assertEqual([r.stdout for r in asyncio.run(tasks())], ["%d\n" % i for i in range(1000, 1040)])
            self.assertEqual([int(r.stdout) for r in pool.map("print(%d)" % i for i in range(40))], list(range(40)))
            for t in threads:
                t.join()
            self.assertEqual(sorted(map(int, got)), [n * 100 + i for n in range(6) for i in range(15)])

    def test_killed(self):
        """`sbx eval` killed in the middle of its requests: none is lost"""
        with sbx.Pool(2) as pool:
            pool.run("pass")
            futures = [pool.submit("import time; time.sleep(0.02); print(%d)" % i) for i in range(40)]
            futures[10].result()
            os.kill(pool._line._child.process.pid, signal.SIGKILL)
            self.assertEqual([f.result().stdout for f in futures], ["%d\n" % i for i in range(40)])

    def test_caller_killed(self):
        """a caller killed in the middle of a snippet takes everything along"""
        source = ("import sys; sys.path.insert(0, %r)\nimport sbx\npool = sbx.Pool(1)\npool.run('pass')\n"
                  "f = pool.submit('import os\\nfor _ in range(3): os.fork()\\nwhile True: pass', timeout=300)\n"
                  "print(pool._line._child.process.pid, flush=True)\nf.result()")
        with subprocess.Popen([sys.executable, "-c", source % os.path.dirname(sbx.__file__)],
                              stdout=subprocess.PIPE) as caller:
            server = int(caller.stdout.readline())
            eventually(lambda: len(family(server)) >= 10)  # it, its helpers, and eight that loop
            pids = family(server)
            caller.kill()
        eventually(lambda: not any(map(lives, pids)))

    def test_errors(self):
        """an image that is not there, and a module that cannot be preloaded"""
        with self.assertRaisesRegex(sbx.SbxError, "nosuch"):
            sbx.execute_code("pass", image="nosuch:image")
        with self.assertLogs("sbx", "WARNING") as log, sbx.Pool(1, preload=["nosuchmodule"]) as pool:
            self.assertTrue(pool.run("pass").success)
        self.assertIn("nosuchmodule", log.output[0])

    def test_listening(self):
        """a server for many processes"""
        path = self.scratch + "/sock"
        server = subprocess.Popen([os.environ["SBX"], "eval", "--listen", "unix:" + path, "-j", "2", IMAGE],
                                  stderr=subprocess.DEVNULL)
        try:
            while not os.path.exists(path):
                self.assertIsNone(server.poll())
            with sbx.Pool(2, address="unix:" + path) as one, sbx.Pool(2, address="unix:" + path) as two:
                for pool in one, two:
                    self.assertEqual([r.stdout for r in pool.map(["print(1)", "print(2)"])], ["1\n", "2\n"])
        finally:
            server.terminate()
            server.wait()

    def test_sandbox(self):
        """Sandbox: values of all types, imports, functions and classes carry over"""
        box = sbx.Sandbox(variables={"given": [1]})
        r = box.execute("import math as m, os.path\nfrom json import dumps\nr = 2\ngiven.append(r)\ns = {1, (2, 3)}\n"
                        "f = open('/dev/null')\nclass C:\n    def __init__(self, x=r):\n        self.x = x\nc = C()\n"
                        "from functools import lru_cache\n@lru_cache()\ndef area():\n\n    return m.pi * r * r\n"
                        "twice = lambda x: 2 * x\n_hidden = 1")
        self.assertTrue(r.success, r.error)
        r = box.execute("print(round(area(), 2), given, sorted(map(str, s)), c.x, twice(4), dumps(os.path.sep))\nr = 5")
        self.assertEqual(r.stdout, "12.57 [1, 2] ['(2, 3)', '1'] 2 8 \"/\"\n", r.error)
        self.assertEqual((box.get_variable("r"), box.get_variable("given")), (5, [1, 2]))
        self.assertEqual(box.execute("print(round(area(), 2))\ndel given\ndef twice(x): return x\nC = 1").stdout, "78.54\n")
        self.assertEqual(box.execute("print(twice(4), C)").stdout, "4 1\n")
        for gone in "f", "_hidden", "given":
            self.assertIn("NameError", box.execute(gone).error)
        box.reset()
        self.assertIn("NameError", box.execute("r").error)

    def test_sandbox_errors(self):
        """Sandbox: what was done before an exception carries over; what a limit ended changes nothing"""
        box = sbx.Sandbox(timeout=60)
        box.execute("x = 1\ndef f(): return x\n1 / 0")
        self.assertTrue(box.execute("x = 2\nwhile True: pass", timeout=0.3).timeout)
        self.assertIn("SyntaxError", box.execute("x = (").error)
        box.set_variable("y", "set")
        self.assertEqual(box.execute("print(x, f(), y)").stdout, "1 1 set\n")

    def test_executor(self):
        """Executor: variables, censored output, what the image is"""
        async def main():
            e = sbx.Executor()
            e.set_variable("prices", [3, 1, 2])
            r = await e.execute("top = max(prices)\nprint(top)\nsecret = 'password=hunter2'")
            self.assertEqual(r, {"stdout": "3\n", "stderr": "", "error": None, "chart_base64": None})
            self.assertEqual(e.get_variable("top"), 3)
            r = await e.execute("print(secret, len(secret))")
            self.assertNotIn("hunter2", r["stdout"])
            self.assertIn("16", r["stdout"])
            info = e.get_environment_info()
            self.assertEqual((info["implementation"], info["image"]), ("cpython", IMAGE))
        asyncio.run(main())

    def test_chart(self):
        """Executor: the last figure left open is the chart (a stand-in for matplotlib draws it)"""
        pyplot = ("class Figure:\n    def __init__(self, n): self.n = n\n"
                  "    def savefig(self, to, format): to.write(b'PNG%d' % self.n)\n"
                  "figure, get_fignums = Figure, lambda: [1, 2]\n")

        async def main():
            e = sbx.Executor(files={"matplotlib/__init__.py": "", "matplotlib/pyplot.py": pyplot})
            self.assertIsNone((await e.execute("pass"))["chart_base64"])
            r = await e.execute("import matplotlib.pyplot as plt\nplt.figure(1)")
            self.assertEqual((r["error"], base64.b64decode(r["chart_base64"])), (None, b"PNG2"))
        asyncio.run(main())

    def test_fork(self):
        """a forked process has a pool of its own"""
        self.assertTrue(sbx.execute_code("pass").success)
        pid = os.fork()
        if pid == 0:
            good = False
            try:
                good = sbx.execute_code("print(5)").stdout == "5\n"
                sbx._at_exit()
            finally:
                os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(sbx.execute_code("print(6)").stdout, "6\n")


if __name__ == "__main__":
    unittest.main()
