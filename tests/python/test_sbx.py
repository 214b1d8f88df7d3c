# SPDX-License-Identifier: Apache-2.0
"""The python client against a server that does what real ones seldom do (fake_sbx.py)."""
import ast
import asyncio
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import wait

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.environ.get("SBX_PYTHON") or os.path.join(HERE, "..", "..", "lib", "python")
FAKE = os.path.join(HERE, "fake_sbx.py")
sys.path.insert(0, LIBRARY)

import sbx  # noqa: E402


class Faked(unittest.TestCase):
    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="fake.")
        self.addCleanup(shutil.rmtree, self.state, True)
        self.saved = dict(os.environ)
        self.addCleanup(self.restore)
        os.environ.update(FAKE_STATE=self.state, SBX=FAKE)
        os.environ.pop("SBX_EVAL_IMAGE", None)

    def restore(self):
        for pool in sbx._shared.values():
            pool.close()
        sbx._shared.clear()
        os.environ.clear()
        os.environ.update(self.saved)

    def pool(self, **options):
        pool = sbx.Pool(**dict({"workers": 2}, **options))
        self.addCleanup(pool.close)
        return pool

    def started(self):
        return os.path.getsize(self.state + "/started")


class Calls(Faked):
    def test_result(self):
        """execute_code: what a snippet prints and raises"""
        r = sbx.execute_code("print(6 * 7)")
        self.assertEqual((r.success, r.stdout, r.stderr, r.error, r.timeout, r.memory_exceeded),
                         (True, "42\n", "", None, False, False))
        r = sbx.execute_code("print(1)\n1 / 0")
        self.assertEqual((r.success, r.stdout, r.error), (False, "1\n", "ZeroDivisionError: division by zero"))
        self.assertEqual((r.error_type, r.error_line, r.exit_code), ("ZeroDivisionError", 1, 1))
        self.assertEqual(r, sbx.ExecutionResult(False, "1\n", "", "ZeroDivisionError: division by zero", False, False))

    def test_kept(self):
        """one child process serves all calls"""
        for _ in range(20):
            self.assertTrue(sbx.execute_code("pass").success)
        self.assertEqual(sbx.execute_code("#count").stdout, "1")

    def test_reasons(self):
        """an end without an exception has a sentence, too"""
        for answer, words in (({"timeout": True, "reason": "timeout"}, "timed out"),
                              ({"memory_exceeded": True, "reason": "oom"}, "used up its memory"),
                              ({"signal": 11, "reason": "signalled"}, "killed by signal 11"),
                              ({"exit_code": 3, "reason": "exited"}, "exit status 3"),
                              ({"reason": "pids"}, "had too many processes")):
            self.assertEqual(sbx._result(dict(answer, success=False)).error, words)

    def test_request(self):
        """what is asked reaches the server, and nothing that was not"""
        ask = "import json; print(json.dumps(request(), sort_keys=True))"
        bare = '{"code": "%s", "id": 1, "memory": 268435456, "timeout": 5.0}\n' % ask
        self.assertEqual(sbx.execute_code(ask).stdout, bare)
        r = self.pool().run("print(sorted(request()))", stdin="", variables={"a": 1}, files={"f": b"\0"}, seed=0,
                            collect=["*"], figures=True, redact=True, max_output=9, allow_import=[],
                            deny_import=["os"], return_variables=["a"])
        self.assertEqual(r.stdout, "['allow_import', 'code', 'collect', 'deny_import', 'figures', 'files', 'id', "
                         "'max_output', 'memory', 'redact', 'return_vars', 'seed', 'stdin', 'timeout', 'vars']\n")
        self.assertEqual(r.files, {"a": b"text", "b": b"\0\1"})

    def test_no_source(self):
        """NUL and lone surrogates fail as python fails them"""
        self.assertIn("null bytes", sbx.execute_code("a\0b").error)
        self.assertIn("UnicodeEncodeError", sbx.execute_code("'\ud800'").error)

    def test_bad_arguments(self):
        """arguments that can mean nothing are refused at once"""
        pool = self.pool()
        for options in ({"timeout": 0}, {"timeout": -1}, {"timeout": float("nan")}, {"timeout": float("inf")},
                        {"maximum_memory_bytes": 0}, {"variables": {"a": float("nan")}}):
            with self.assertRaises(ValueError, msg=str(options)):
                pool.submit("pass", **options)
        for code, options in ((b"pass", {}), ("pass", {"variables": {"a": object()}}), ("pass", {"nosuch": 1})):
            with self.assertRaises(TypeError):
                pool.submit(code, **options)
        self.assertRaises(ValueError, sbx.Pool, 0)

    def test_python_38(self):
        """the source is that of python 3.8"""
        with open(sbx.__file__) as f:
            ast.parse(f.read(), feature_version=(3, 8))


class Pools(Faked):
    def test_map(self):
        """map keeps the order, takes endless input as it is needed, and mappings"""
        def endless():
            n = 0
            while True:
                taken.append(n)
                yield "print(%d)" % n if n % 2 else {"code": "print(n)", "variables": {"n": n}}
                n += 1
        taken = []
        results = self.pool().map(endless(), timeout=3)
        self.assertEqual([int(next(results).stdout) for _ in range(200)], list(range(200)))
        results.close()
        self.assertLess(len(taken), 220)

    def test_threads(self):
        """many threads at once"""
        pool, got = self.pool(), {}

        def work(k):
            got[k] = [pool.run("print(%d)" % (k * 1000 + i)).stdout for i in range(50)]
        threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        for k in range(16):
            self.assertEqual(got[k], ["%d\n" % (k * 1000 + i) for i in range(50)])
        self.assertEqual(self.started(), 1)

    def test_asyncio(self):
        """many tasks at once, in one loop after another"""
        pool = self.pool()

        async def main():
            results = await asyncio.gather(*(pool.run_async("print(%d)" % i) for i in range(100)))
            self.assertEqual([r.stdout for r in results], ["%d\n" % i for i in range(100)])
            self.assertEqual([r.stdout async for r in pool.map_async("print(%d)" % i for i in range(30))],
                             ["%d\n" % i for i in range(30)])
            async with sbx.Pool(1) as other:
                self.assertTrue((await other.run_async("pass")).success)
        asyncio.run(main())
        asyncio.run(main())

    def test_cancel(self):
        """what waits can be cancelled, and a task that was cancelled harms no other"""
        pool = self.pool(workers=1, grace=1)
        pool.run("#deaf")
        futures = [pool.submit("print(%d)" % i) for i in range(6)]
        self.assertTrue(futures[3].cancel())
        self.assertFalse(futures[0].cancel())
        open(self.state + "/hear", "w").close()
        self.assertEqual([f.result().stdout for f in futures if not f.cancelled()],
                         ["0\n", "1\n", "2\n", "4\n", "5\n"])

        async def impatient():
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(pool.run_async("#hang 1\nprint(6)", timeout=0.1), 0.2)
        asyncio.run(impatient())
        self.assertEqual(pool.run("print(7)").stdout, "7\n")

    def test_large(self):
        """requests and answers of many megabytes, while others wait"""
        pool = self.pool()
        big = "x = %r\nprint(x)" % ("y" * 20_000_000)
        futures = [pool.submit(c) for c in (big, "print(1)", big, "print(2)")]
        self.assertEqual([len(f.result().stdout) for f in futures], [20_000_001, 2, 20_000_001, 2])

    def test_full_pipe(self):
        """submit does not block when the child reads nothing"""
        pool = self.pool(workers=4)
        pool.run("#deaf")
        futures = [pool.submit("x = %r" % ("y" * 1_000_000)) for _ in range(20)]
        self.assertFalse(any(f.done() for f in futures))
        open(self.state + "/hear", "w").close()
        self.assertTrue(all(f.result().success for f in futures))

    def test_callback(self):
        """a future's callback may submit"""
        pool, second = self.pool(), []
        done = threading.Event()

        def again(_):
            second.append(pool.submit("print(2)"))
            done.set()
        pool.submit("print(1)").add_done_callback(again)
        done.wait(60)
        self.assertEqual(second[0].result().stdout, "2\n")

    def test_listening(self):
        """a server that listens on a socket is spoken to alike"""
        import socket
        path = self.state + "/sock"
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
            s.listen()
            pool = sbx.Pool(1, address="unix:" + path)
            self.addCleanup(pool.close)
            future = pool.submit("print(5)")
            c, _ = s.accept()
            with c:
                child = subprocess.Popen([FAKE, "eval", "--jsonl", "--unordered", "-j", "1", "x"], stdin=c, stdout=c)
            self.assertEqual(future.result().stdout, "5\n")
            pool.close()
            self.assertEqual(child.wait(60), 0)
        with self.assertRaisesRegex(sbx.SbxError, "sock: Connection refused"):
            sbx.Pool(1, address="unix:" + path).run("pass")


class Faults(Faked):
    def test_dies(self):
        """requests of a child that died are given to the next one"""
        pool = self.pool()
        for word in "#die 2", "#half 1", "#garbage 1":
            futures = [pool.submit(c) for c in ["print(1)", word + "\nprint(2)", "print(3)", "print(4)"] * 3]
            self.assertEqual([f.result().stdout for f in futures], ["1\n", "2\n", "3\n", "4\n"] * 3, word)
        self.assertEqual(self.started(), 5)

    def test_killed(self):
        """a child killed from outside in the middle of a thousand requests loses none"""
        pool = self.pool()
        futures = []
        for i in range(1000):
            futures.append(pool.submit("print(%d)" % i))
            if i % 250 == 100:
                futures[i - 50].result()
                pool._line._child.process.kill()
        self.assertEqual([f.result().stdout for f in futures], ["%d\n" % i for i in range(1000)])

    def test_poison(self):
        """a request that children die of fails, and takes no other with it"""
        pool = self.pool()
        futures = [pool.submit(c) for c in ["print(1)", "#die 99", "print(2)", "#die 99", "print(3)"]]
        wait(futures, 300)
        for f in futures[1], futures[3]:
            with self.assertRaisesRegex(sbx.SbxError, "5 times sbx eval died of this request"):
                f.result(0)
        self.assertEqual([f.result(0).stdout for f in futures[::2]], ["1\n", "2\n", "3\n"])
        self.assertTrue(pool.run("pass").success)

    def test_silent(self):
        """a child that does not answer in time is replaced"""
        pool = self.pool(grace=0.3)
        pool.run("pass")
        futures = [pool.submit(c, timeout=0.1) for c in ("#hang 1\nprint(1)", "print(2)")]
        self.assertEqual([f.result().stdout for f in futures], ["1\n", "2\n"])
        self.assertEqual(self.started(), 2)

    def test_noise(self):
        """a second answer is nobody's; a refusal without a name finds whose it is"""
        pool = self.pool(workers=3)
        codes = ["#twice\nprint(1)", "#nameless", "print(3)", "#twice\nprint(4)"] * 5
        results = [f.result() for f in [pool.submit(c) for c in codes]]
        self.assertEqual([r.stdout for r in results], ["1\n", "", "3\n", "4\n"] * 5)
        self.assertEqual({r.error for r in results[1::4]}, {"RequestError: no JSON"})
        self.assertEqual(self.started(), 1)

    def test_no_program(self):
        """no program, no image: an error that says so, each time anew"""
        os.environ["SBX"] = self.state + "/nosuch"
        pool = self.pool()
        for _ in range(2):
            with self.assertRaisesRegex(sbx.SbxError, "nosuch: no such program"):
                pool.run("pass")
        os.environ["SBX"] = FAKE
        self.assertTrue(pool.run("pass").success)
        for _ in range(2):
            with self.assertRaisesRegex(sbx.SbxError, "Unable to find image 'nosuch' locally"):
                sbx.execute_code("pass", image="nosuch")

    def test_starts(self):
        """a child killed at its start is started again, but not for ever"""
        self.assertTrue(self.pool(image="thirdtime").run("pass").success)
        with self.assertRaises(sbx.SbxError):
            self.pool(image="never", attempts=99).run("pass")


class Ends(Faked):
    def ended(self):
        return os.path.exists(self.state + "/ended") and os.path.getsize(self.state + "/ended")

    def test_close(self):
        """close waits for what was submitted, ends the child, and leaves no descriptor"""
        before = len(os.listdir("/proc/self/fd"))
        with sbx.Pool(2) as pool:
            futures = [pool.submit("print(%d)" % i) for i in range(50)]
        self.assertTrue(all(f.done() for f in futures))
        self.assertEqual(self.ended(), 1)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        pool.close()
        with self.assertRaisesRegex(sbx.SbxError, "closed"):
            pool.submit("pass")

    def test_forgotten(self):
        """a pool that nobody holds any more finishes, then ends its child"""
        self.assertEqual(sbx.Pool(1).submit("print(1)").result().stdout, "1\n")
        pool = sbx.Pool(1)
        pool.run("pass")
        thread = pool._line._thread
        del pool
        gc.collect()
        thread.join(60)
        self.assertFalse(thread.is_alive())

    def python(self, source, **more):
        return subprocess.run([sys.executable, "-W", "ignore", "-c", "import sys; sys.path.insert(0, %r)\n" % LIBRARY + source],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60, **more)

    def test_exit(self):
        """the child ends with the process, in the middle of a request too, and quietly"""
        p = self.python("import sbx; print(sbx.execute_code('print(1)').stdout, end='')")
        self.assertEqual((p.stdout, p.stderr, p.returncode), ("1\n", "", 0))
        self.assertEqual(self.ended(), 1)
        p = self.python("import sbx; sbx.execute_code('pass'); sbx.Pool(1).submit('#hang 1'); print(1)")
        self.assertEqual((p.stdout, p.stderr, p.returncode), ("1\n", "", 0))
        p = self.python("""
import sbx, threading
pool = sbx.Pool(1)
threading.Thread(target=pool.run, args=("#hang 1",), daemon=True).start()
while not pool._line._sent:
    pass
print(1)
""")
        self.assertEqual((p.stdout, p.stderr, p.returncode), ("1\n", "", 0))

    def test_fork(self):
        """a forked process has a child process of its own, and the parent keeps its own"""
        p = self.python("""
import os, sbx
print(sbx.execute_code("#count").stdout)
pool = sbx.Pool(1)
pending = pool.submit("#later\\nprint('held')")
sys.stdout.flush()
pid = os.fork()
print(sbx.execute_code("#count").stdout if pid == 0 else "parent", pool.run("print('mine')").stdout.strip())
sys.stdout.flush()
if pid == 0:
    sys.exit()
os.waitpid(pid, 0)
print(sbx.execute_code("print('still')").stdout, pending.result().stdout, end="")
""")
        self.assertEqual(p.stderr, "")
        lines = p.stdout.splitlines()
        self.assertEqual((lines[0], lines[-2:]), ("1", ["still", " held"]))
        self.assertIn("parent mine", lines)
        self.assertEqual(len([x for x in lines if x.endswith("mine")]), 2)

    def test_multiprocessing(self):
        """multiprocessing's forked workers run snippets"""
        p = self.python("""
import multiprocessing, sbx
sbx.execute_code("pass")
with multiprocessing.get_context("fork").Pool(4) as pool:
    print([r.stdout.strip() for r in pool.map(sbx.execute_code, ["print(%d)" % i for i in range(40)])])
""")
        self.assertEqual(p.stderr, "")
        self.assertEqual(p.stdout, "%r\n" % ([str(i) for i in range(40)],))

    def test_fork_while_busy(self):
        """forks in the middle of other threads' calls harm neither side"""
        p = self.python("""
import os, threading, sbx
pool = sbx.Pool(2)
def work(n):
    for i in range(50):
        assert pool.run("print(%d)" % i).stdout == "%d\\n" % i
threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
for t in threads: t.start()
pids = []
for _ in range(8):
    pid = os.fork()
    if pid == 0:
        os._exit(0 if pool.run("print(5)").stdout == "5\\n" else 1)
    pids.append(pid)
assert [os.waitpid(p, 0)[1] for p in pids] == [0] * 8
for t in threads: t.join()
print("good")
""")
        self.assertEqual((p.stdout, p.stderr), ("good\n", ""))


class Sessions(Faked):
    def box(self, **options):
        return sbx.Sandbox(**options)

    def test_carried(self):
        """Sandbox: what a snippet leaves, and what is set, reaches the next; reset forgets"""
        box = self.box(variables={"given": [1]})
        box.execute("r = 2\ngiven.append(r)")
        self.assertEqual(box.execute("print(r, given)").stdout, "2 [1, 2]\n")
        box.set_variable("r", (7,))
        self.assertEqual(box.get_variable("r"), [7])
        self.assertEqual(box.execute("print(r)\nr = 8").stdout, "[7]\n")
        self.assertEqual(box.variables, {"given": [1, 2], "r": 8})
        box.reset()
        self.assertEqual(box.variables, {"given": [1]})
        self.assertIn("NameError", box.execute("print(r)").error)

    def test_changes_nothing(self):
        """Sandbox: a snippet that was ended changes nothing, and loses nothing that was set"""
        with self.box() as box:
            box.execute("x = 1")
            box.set_variable("y", 2)
            self.assertTrue(box.execute("#killed").memory_exceeded)
            self.assertEqual(box.execute("print(x, y)").stdout, "1 2\n")
        self.assertEqual(box.variables, {})

    def test_set_meanwhile(self):
        """Sandbox: what is set, or reset, while a snippet runs counts for those after it"""
        box = self.box()
        box.execute("#deaf")
        futures = [box.submit("x = 1")]
        box.set_variable("x", 5)
        open(self.state + "/hear", "w").close()
        futures.append(box.submit("print(x)"))
        self.assertEqual(futures[1].result().stdout, "5\n")
        os.unlink(self.state + "/hear")
        box.execute("#deaf")
        future = box.submit("x = 9")
        box.reset()
        open(self.state + "/hear", "w").close()
        future.result()
        self.assertEqual(box.variables, {})

    def test_in_order(self):
        """Sandbox: one after the other, also when many are queued, and cancelled"""
        box = self.box(variables={"n": 0})
        futures = [box.submit("n += 1\nprint(n)") for _ in range(50)]
        self.assertEqual([f.result().stdout for f in futures], ["%d\n" % i for i in range(1, 51)])
        self.assertEqual(box.get_variable("n"), 50)
        self.assertRaises(ValueError, box.set_variable, "no name", 1)
        self.assertRaises(TypeError, box.set_variable, "x", object())

    def test_never_run(self):
        """Sandbox: thousands that can never run, in a row, and the one behind them"""
        box = self.box()
        futures = [box.submit("print(0)")] + [box.submit("'\ud800'") for _ in range(3000)] + [box.submit("print(1)")]
        self.assertEqual(futures.pop().result().stdout, "1\n")
        self.assertEqual({f.result().error_type for f in futures[1:]}, {"UnicodeEncodeError"})

    def test_executor(self):
        """Executor: variables, figures, what the image is"""
        async def main():
            e = sbx.Executor()
            e.set_variable("prices", [3, 1, 2])
            r = await e.execute("top = max(prices)\nprint(top)")
            self.assertEqual(r, {"stdout": "3\n", "stderr": "", "error": None, "chart_base64": None})
            self.assertEqual((e.get_variable("top"), e.get_variable("nosuch", 9)), (3, 9))
            r = await e.execute("figure = 'iVBOR'\nraise KeyError(1)")
            self.assertEqual((r["error"], r["chart_base64"]), ("KeyError: 1", "iVBOR"))
            await asyncio.gather(*(e.execute("top += 1") for _ in range(20)))
            self.assertEqual(e.get_variable("top"), 23)
            info = e.get_environment_info()
            self.assertEqual((info["python_version"].split(".")[0], info["timeout"], info["image"]), ("3", 5.0, "python"))
            self.assertIn("top", info["variables"])
            e.reset()
            self.assertIsNone(e.get_variable("top"))
        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
