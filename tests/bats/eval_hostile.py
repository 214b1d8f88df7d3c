# SPDX-License-Identifier: Apache-2.0
"""Hostile or only strange snippets, and what must be answered to each: a row is id, code, fields of the request, and an
expression that is true of the answer. `eval_hostile.py ask` prints the requests, `eval_hostile.py check ANSWERS` checks."""
import json
import sys

T = {"timeout": 1}  # for those that never end; the others have as long as a slow machine needs
TIMEOUT = "r['reason'] == 'timeout' and r['timeout'] and r['exit_code'] == 124 and r['signal'] == 9"
OOM = "r['memory_exceeded'] and not r['success']"
FINE = "r['success'] and r['exit_code'] == 0 and not r['error']"


def fails(kind, code=1):
    return "not r['success'] and r['exit_code'] == %d and r['error']['type'] == %r" % (code, kind)


def prints(text):
    return FINE + " and r['stdout'] == %r" % text


def ends(code):
    return "not r['success'] and r['reason'] == 'exited' and r['exit_code'] == %d and not r['error']" % code


def dies(signal):
    return "r['reason'] == 'signalled' and r['signal'] == %d and r['exit_code'] == %d" % (signal, 128 + signal)


ROWS = [
    # code that takes all resources
    ("forks", "import os\nwhile 1:\n    try: os.fork()\n    except OSError: pass", T, TIMEOUT),
    ("threads", "import threading, time\nwhile 1: threading.Thread(target=time.sleep, args=(999,)).start()",
     {"timeout": 3}, TIMEOUT),
    ("one allocation", "bytearray(1 << 40)", {}, OOM + " and r['error']['type'] == 'MemoryError'"),
    ("allocations", "x = []\nwhile 1: x.append(bytearray(1 << 20))", {}, OOM),
    ("MemoryError is caught", "x = []\nwhile 1:\n    try: x.append(bytearray(1 << 20))\n    except MemoryError: pass",
     {}, OOM),
    ("a file", "f = open('/tmp/x', 'wb')\nwhile 1: f.write(b'x' * (1 << 20))", {}, "not r['success']"),
    ("output", "while 1: print('x' * 1000)", T,
     TIMEOUT + " and r['truncated']['stdout'] and len(r['stdout']) < 1 << 21"),
    ("errors", "import sys\nwhile 1: sys.stderr.write('x' * 1000)", T, TIMEOUT + " and r['truncated']['stderr']"),
    ("descriptors", "x = []\nfor i in range(200000): x.append(open('/dev/null'))", {"memory": "1g"},
     "r['success'] or r['error']['type'] in ('OSError', 'MemoryError') or r['memory_exceeded']"),
    ("recursion", "def f(): return f()\nf()", {}, fails("RecursionError")),
    ("a regular expression", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", T, TIMEOUT),
    ("digits", "9**9**9", T, "not r['success']"),
    # code that does not end, or ends in other ways
    ("sleep", "import time\ntime.sleep(999)", T, TIMEOUT),
    ("deaf", "import signal, time\nfor s in range(1, 65):\n    try: signal.signal(s, signal.SIG_IGN)\n"
     "    except (OSError, ValueError): pass\ntime.sleep(999)", T, TIMEOUT),
    ("stopped", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", T, TIMEOUT),
    ("a thread is left", "import threading, time\nthreading.Thread(target=time.sleep, args=(999,)).start()", T, TIMEOUT),
    ("a daemon thread is left", "import threading, time\nthreading.Thread(target=time.sleep, args=(999,), "
     "daemon=True).start()\nprint(1)", {}, prints("1\n")),
    ("a child is left", "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0: time.sleep(999)\n"
     "    os._exit(0)\nprint('parent')", {}, prints("parent\n")),
    ("atexit", "import atexit\n@atexit.register\ndef f():\n    while 1: pass", T, TIMEOUT),
    ("__del__", "class A:\n    def __del__(self):\n        while 1: pass\na = A()", T, TIMEOUT),
    ("_exit", "import os\nprint('a'); os._exit(0)", {}, ends(0) + " and r['stdout'] == 'a\\n'"),
    ("_exit 3", "import os\nos._exit(3)", {}, ends(3)),
    ("exit", "import sys\nsys.exit()", {}, FINE),
    ("exit 7", "import sys\nsys.exit(7)", {}, fails("SystemExit", 7)),
    ("exit 256", "import sys\nsys.exit(256)", {}, fails("SystemExit", 0)),
    ("exit -1", "import sys\nsys.exit(-1)", {}, fails("SystemExit", 255)),
    ("exit, more than a long", "import sys\nsys.exit(10**30)", {}, fails("SystemExit", 255)),
    ("exit, a child of it", "import os\nif os.fork() == 0: raise SystemExit(10**30)\nprint(os.wait()[1] >> 8)", {},
     prints("255\n")),
    ("exit, in words", "import sys\nsys.exit('sorry')", {}, fails("SystemExit") + " and r['stderr'] == 'sorry\\n'"),
    ("exit, in a thread", "import threading, sys\nt = threading.Thread(target=sys.exit, args=(3,))\nt.start(); t.join()",
     {}, FINE),
    ("abort", "import os\nos.abort()", {}, dies(6)),
    ("a crash", "import ctypes\nctypes.string_at(0)", {}, dies(11)),
    ("killed", "import os\nos.kill(os.getpid(), 9)", {}, dies(9)),
    ("pid 1 is killed", "import os\nos.kill(1, 9); print('still')", {}, prints("still\n")),
    # code that interferes with ours
    ("no descriptors", "import os\nos.closerange(0, 1000)", {}, "not r['success'] and r['reason'] == 'exited'"),
    ("no output", "import sys\nsys.stdout.close(); sys.stderr.close()", {}, FINE),
    ("output is None", "import sys\nsys.stdout = None; print(1)", {}, prints("")),
    ("the channel is closed", "import os\nos.close(250); print(1)", {}, "not r['success'] and r['stdout'] == '1\\n'"),
    ("the channel is lied to", "import os\nos.write(250, b'X\\xff\\xff\\xff\\x7fxx')", {}, "not r['success']"),
    ("the channel, and away", "import os\nos.write(250, b'd\\0\\0\\0\\0'); os._exit(1)", {}, ends(1)),
    ("no modules", "import sys\nsys.modules.clear()", {}, FINE),
    ("no builtins", "import builtins as b\nd = delattr\nfor n in list(vars(b)):\n    if n[0] != '_': d(b, n)", {}, FINE),
    ("a hook", "import sys\nsys.excepthook = lambda *a: print('hook')\n1/0", {},
     fails("ZeroDivisionError") + " and r['stdout'] == 'hook\\n'"),
    ("str() fails", "class E(Exception):\n    def __str__(self): raise RuntimeError\nraise E", {}, fails("E")),
    ("str() ends it", "class E(Exception):\n    def __str__(self): import os; os._exit(0)\nraise E", {},
     "not r['success']"),
    ("no work directory", "import shutil\nshutil.rmtree('/work', ignore_errors=True)", {}, FINE),
    ("what is not there", "x = 1\nz = float('nan')", {"return_vars": ["x", "z", "nope"]},
     FINE + " and r['vars'] == {'x': 1, 'z': 'nan'}"),
    ("too much comes back", "x = 'a' * (40 << 20)", {"return_vars": ["x"], "memory": "1g"},
     FINE + " and r['vars'] == {} and r['truncated']['rest']"),
    ("names that are no files", "import os\nopen('a.t', 'w').write('hi'); os.mkfifo('c.t'); os.mkdir('d.t')\n"
     "os.symlink('loop.t', 'loop.t')", {"collect": ["*.t"]}, FINE + " and r['files'] == {'a.t': 'hi'}"),
    # texts
    ("a surrogate", "print('\\ud800')", {}, fails("UnicodeEncodeError")),
    ("zero bytes", "print('a\\0b')\nraise ValueError('x\\0y')", {},
     fails("ValueError") + " and r['stdout'] == 'a\\0b\\n' and r['error']['message'] == 'x\\\\x00y'"),
    ("any byte", "import sys\nsys.stdout.buffer.write(bytes(range(256)))", {}, FINE + " and len(r['stdout']) == 256"),
    ("zero bytes in it", "print(1)\0print(2)", {}, "r['error']['type'] in ('ValueError', 'SyntaxError')"),
    ("not python", "def (", {}, fails("SyntaxError")),
    ("nothing", "", {}, prints("")),
    ("lines of another system", "\ufeffprint(1)\r\nprint(2)\r\n", {}, prints("1\n2\n")),
    ("no input", "input()", {}, fails("EOFError")),
    ("some input", "print(input(), input())", {"stdin": "a\nb"}, prints("a b\n")),
    # requests
    ("no time", "1", {"timeout": 0}, fails("RequestError", 125)),
    ("a time before", "1", {"timeout": -1}, fails("RequestError", 125)),
    ("all memory", "print(1)", {"memory": 2**63 - 1}, prints("1\n")),
    ("less than no memory", "1", {"memory": -5}, fails("RequestError", 125)),
    ("a number for code", 1, {}, fails("RequestError", 125)),
    ("a field of nobody's", "1", {"bogus": 1}, fails("RequestError", 125)),
    ("the last one", "print('here')", {}, prints("here\n")),
]


def ask():
    for name, code, fields, _ in ROWS:
        print(json.dumps(dict(fields, id=name, code=code)))


def check(path):
    with open(path) as f:
        answers = [json.loads(line) for line in f]
    bad = ["%s\n%s" % (name, r) for (name, _, _, true), r in zip(ROWS, answers)
           if r["id"] != name or not eval(true, {"r": r})]
    if len(answers) != len(ROWS):
        bad.append("%d answers to %d requests" % (len(answers), len(ROWS)))
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    ask() if sys.argv[1] == "ask" else check(sys.argv[2])
