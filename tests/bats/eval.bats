load lib

setup() {
	needs_static # sbx itself is pid 1 of these containers
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

# try CODE [OPTION...]: runs it; the result is in ./result. The timeout is for slow machines.
try() {
	local code=$1
	shift
	printf '%s\n' "$code" | sbx eval --timeout 60s "$@" "$py" >result 2>err || status=$?
	[ -s result ] || { cat err; return 1; }
	[ "$(wc -l <result)" -eq 1 ]
}

# got EXPRESSION: prints the value of a python expression about r, the result
got() {
	python3 -c 'import json, sys; r = json.load(open("result")); v = eval(sys.argv[1]); print(v)' "$1"
}

# holds EXPRESSION...: each is true of r, the result
holds() {
	local each
	for each; do
		[ "$(got "bool($each)")" = True ] || { echo "not true: $each"; cat result; return 1; }
	done
}

@test "code runs, and one line of JSON says what became of it" {
	run -0 --separate-stderr sbx eval --timeout 60 "$py" - <<<'import sys; print(6 * 7); print("e", file=sys.stderr)'
	echo "$output" >result
	holds 'r["success"] is True' 'r["stdout"] == "42\n"' 'r["stderr"] == "e\n"' 'r["error"] is None' \
		'r["exit_code"] == 0' 'r["signal"] is None' 'r["reason"] == "exited"' 'r["timeout"] is False' \
		'r["memory_exceeded"] is False' 'r["truncated"] == {"stdout": False, "stderr": False}' \
		'r["figures"] == [] and r["vars"] == {} and r["files"] == {}' 'len(r["container"]) == 64'
	holds '0 < r["wall"] < 60 and 0 < r["user"] + r["system"] < 60' '2**22 < r["peak_memory"] < 2**27'
	missing "$(got 'r["container"]')"
}

@test "a file is code too, and it runs as main.py of the work directory" {
	echo 'print(__name__, __file__); import sys, os; print(sys.argv, os.getcwd(), os.listdir())' >code.py
	sbx eval "$py" code.py >result
	main=/work/; main+=main.py
	equal "$(got 'r["stdout"]')" "__main__ $main"$'\n'"['$main'] /work ['main.py']"
}

@test "an exception has type, message, line and traceback" {
	try $'def f():\n    raise ValueError("no " + "good")\n\nf()'
	equal "$status" 1
	holds 'not r["success"]' 'r["exit_code"] == 1' 'r["error"]["type"] == "ValueError"' \
		'r["error"]["message"] == "no good"' 'r["error"]["line"] == 2' \
		'r["error"]["traceback"] == r["stderr"]' '"sbx" not in r["stderr"]' \
		'r["stderr"].startswith("Traceback (most recent call last):\n  File \"/work/" "main.py\", line 4")'
}

@test "code that cannot be parsed is a SyntaxError" {
	try $'x = 1\ndef f(:\n'
	holds 'r["error"]["type"] == "SyntaxError"' 'r["error"]["line"] == 2' 'not r["success"]'
	printf 'print(1)\0\n' | sbx eval "$py" >result || true
	holds 'r["error"]["type"] in ("SyntaxError", "ValueError")' '"null bytes" in r["error"]["message"]'
	printf 'print("\xff")\n' | sbx eval "$py" >result || true
	holds 'r["error"]["type"] == "SyntaxError"'
	printf '# coding: latin-1\nprint("\xe9")\n' | sbx eval "$py" >result
	holds 'r["stdout"] == "\u00e9\n"'
	printf '{"code": "\\ufeffprint(1)"}' | sbx eval --jsonl --fresh "$py" >result
	holds 'r["stdout"] == "1\n"'
}

@test "sys.exit, exit and os._exit" {
	try 'import sys; print(1); sys.exit()'
	holds 'r["success"]' 'r["exit_code"] == 0' 'r["error"] is None'
	try 'import sys; sys.exit(3)'
	holds 'not r["success"]' 'r["exit_code"] == 3' 'r["error"]["type"] == "SystemExit"'
	try 'exit("a reason")'
	holds 'r["exit_code"] == 1' 'r["stderr"] == "a reason\n"' 'r["error"]["message"] == "a reason"'
	try 'import os; os._exit(0)'
	holds 'not r["success"]' 'r["exit_code"] == 0' 'r["reason"] == "exited"'
	try 'import os; os.execv("/bin/true", ["true"])'
	holds 'not r["success"]' 'r["exit_code"] == 0'
}

@test "signals and crashes" {
	try 'import os; os.kill(os.getpid(), 15)'
	holds 'r["signal"] == 15' 'r["exit_code"] == 143' 'r["reason"] == "signalled"'
	try 'import os; os.kill(os.getpid(), 9)'
	holds 'r["signal"] == 9' 'r["reason"] == "signalled"' 'not r["memory_exceeded"]'
	try 'raise KeyboardInterrupt'
	holds 'r["exit_code"] == 130' 'r["error"]["type"] == "KeyboardInterrupt"'
	try 'import os; os.abort()'
	holds 'r["signal"] == 6'
	try 'import ctypes; ctypes.string_at(0)'
	holds 'r["signal"] == 11' 'not r["success"]'
	try 'import sys; sys.exit(139)'
	holds 'r["signal"] is None' 'r["exit_code"] == 139' 'r["reason"] == "exited"'
}

@test "too much memory, as an error and as an end" {
	try 'x = "a" * 10**10' -m 64m
	holds 'r["memory_exceeded"]' 'r["error"]["type"] == "MemoryError"' 'not r["timeout"]'
	try $'x = []\nwhile 1: x.append(str(len(x)) * 10**5)' -m 64m
	holds 'r["memory_exceeded"]' 'not r["success"]'
	try $'f = open("/work/big", "wb")\nwhile 1: f.write(bytes(10**6))' -m 64m
	holds 'not r["success"]'
	try 'raise MemoryError("said so")'
	holds 'r["memory_exceeded"]' 'r["error"]["message"] == "said so"'
	try $'try: x = "a" * 10**12\nexcept MemoryError: print("caught")'
	holds 'r["success"]' 'not r["memory_exceeded"]'
}

@test "descriptors may be few" {
	(ulimit -n 60 && exec "$SBX" eval "$py" - <<<'print(6 * 7)') >out
	contains "$(cat out)" '"success":true,"stdout":"42\n"'
	(ulimit -n 60 && exec "$SBX" eval --jsonl --jobs 1 "$py" <<<'{"code": "print(6 * 7)"}') >out
	contains "$(cat out)" '"success":true,"stdout":"42\n"'
}

@test "the time limit ends everything, and what was printed is there" {
	try $'print("so far")\nwhile 1: pass' --timeout 4s
	holds 'r["timeout"]' 'r["reason"] == "timeout"' 'r["exit_code"] == 124' 'r["stdout"] == "so far\n"' \
		'not r["success"]' 'r["wall"] >= 4' 'r["user"] + r["system"] > 0.01' 'r["peak_memory"] > 2**22'
	nap=$(a_nap)
	try "import os, signal, subprocess
signal.signal(15, signal.SIG_IGN)
subprocess.Popen(['sleep', '$nap'], start_new_session=True)
os.kill(os.getpid(), signal.SIGSTOP)" --timeout 1
	holds 'r["timeout"]'
	equal "$(sleepers "$nap")" 0
}

@test "threads that never end are ended by the time limit; what is left behind goes too" {
	try $'import threading, time\nthreading.Thread(target=lambda: time.sleep(1000)).start()\nprint(1)' --timeout 4
	holds 'r["timeout"]' 'r["stdout"] == "1\n"'
	try $'import threading, time\nthreading.Thread(target=lambda: time.sleep(1000), daemon=True).start()\nprint(1)'
	holds 'r["success"]'
	nap=$(a_nap)
	try "import subprocess; subprocess.Popen(['sleep', '$nap'])"
	holds 'r["success"]'
	equal "$(sleepers "$nap")" 0
}

@test "a fork bomb ends, and only one process speaks for all" {
	try $'import os\nwhile 1: os.fork()' --timeout 3
	holds 'not r["success"]' 'r["timeout"] or r["error"]["type"] == "BlockingIOError"'
	try $'import os\nif os.fork() == 0: raise ValueError("the child")\nos.wait(); x = 1' --return-vars
	holds 'r["success"]' 'r["error"] is None' 'r["vars"] == {"x": 1}' '"the child" in r["stderr"]' '"sbx" not in r["stderr"]'
}

@test "endless output is cut, and the place is marked" {
	try $'while 1: print("x" * 99)' --timeout 4 --max-output 1000
	holds 'r["timeout"]' 'r["truncated"] == {"stdout": True, "stderr": False}' \
		'r["stdout"].startswith("x" * 99) and len(r["stdout"]) < 1100' \
		'__import__("re").search(r"\n\[cut here: \d+ bytes more\]\n$", r["stdout"])'
	try 'print("é" * 3, end="")' --max-output 3
	holds 'r["success"]' 'r["stdout"] == "\u00e9\n[cut here: 4 bytes more]\n"'
}

@test "closed and replaced output, and bytes that are no text" {
	try 'import sys; print(1); sys.stdout.close()'
	holds 'r["success"]' 'r["stdout"] == "1\n"'
	try 'import sys; print(1); sys.stdout = None; print(2)'
	holds 'r["success"]' 'r["stdout"] == "1\n"'
	try 'import os; os.close(1); os.close(2)'
	holds 'r["success"]'
	try 'import os; os.closerange(3, 1000); print(1)'
	holds 'not r["success"]' 'r["exit_code"] == 0' 'r["stdout"] == "1\n"' 'r["stderr"] == ""'
	try 'import io, sys; sys.stdout = io.StringIO(); print(1); 1 / 0'
	holds 'r["error"]["type"] == "ZeroDivisionError"' 'r["stdout"] == ""'
	try 'import sys; sys.stdout.buffer.write(b"a\0\xff\xfe\xc3\xa9")'
	holds 'r["stdout"] == "a\0\ufffd\ufffd\u00e9"'
}

@test "modules that are not python's own are found, though site is started late" {
	try 'import sys, json; print("site" in sys.modules)
try: import no_such_module
except ImportError: print("site" in sys.modules, help)'
	equal "$(got 'r["stdout"]')" $'False\nTrue Type help() for interactive help, or help(object) for help about object.'
	try 'import pkgutil, sys; print("site" in sys.modules)'
	equal "$(got 'r["stdout"]')" True
	try 'import helper; print(helper.x)' --file helper.py=<(echo 'x = 5')
	equal "$(got 'r["stdout"]')" 5
}

@test "standard input is nothing, or what is given" {
	try 'input()'
	holds 'r["error"]["type"] == "EOFError"'
	printf 'one\ntwo' >in
	try 'import sys; print(input(), sys.stdin.read())' --stdin in
	equal "$(got 'r["stdout"]')" $'one two'
	echo 'print(input())' >code.py
	sbx eval --stdin - "$py" code.py <in >result
	equal "$(got 'r["stdout"]')" $'one'
}

@test "variables go in and come out" {
	echo '{"a": [1, {"b": null}], "big": 9223372036854775807, "neg": -5000000000}' >vars.json
	try 'c = a[0] + x; d = {1: (2, float("inf"))}; e = object; s = {"z"}; _h = 1; y = y + 1
print(a, big, neg, t)' --vars vars.json --var x=41 --var y=0.5 --var 't="é"' --return-vars
	equal "$(got 'r["stdout"]')" $'[1, {\'b\': None}] 9223372036854775807 -5000000000 é'
	holds 'r["vars"]["c"] == 42' 'r["vars"]["y"] == 1.5' 'r["vars"]["d"] == {"1": [2, "inf"]}' \
		'r["vars"]["s"] == ["z"]' '"_h" not in r["vars"] and "e" not in r["vars"]'
	try 'a = 1; b = object()' --return-var a --return-var b --return-var none
	holds 'r["vars"]["a"] == 1' 'r["vars"]["b"].startswith("<object object")' '"none" not in r["vars"]'
	run -125 sbx eval --var 'x=[' "$py" - <<<1
	contains "$output" "--var x: not JSON"
}

@test "files go in and come out" {
	mkdir in
	echo hello >in/a
	printf '\377\0' >in/b
	try 'import os; print(open("d/e/a").read(), os.path.getsize("b")); f = open("out.txt", "w"); f.write("held")
os.mkdir("o"); open("o/x", "wb").write(b"\xff"); os.symlink("/etc/passwd", "o/p")' \
		--file d/e/a=in/a --file b=in/b --collect '*.txt' --collect 'o/**' --collect '/etc/passwd'
	equal "$(got 'r["stdout"]')" $'hello\n 2'
	holds 'r["files"]["out.txt"] == "held"' 'r["files"]["o/x"] == {"base64": "/w=="}' \
		'"/etc/passwd" not in r["files"]'
	# names that are no UTF-8
	printf 1 >$'\377'
	try 'import os; print(ascii(sorted(os.listdir())), open(b"\xc3\xa4\xff").read())' \
		--file $'\303\244\377'=$'\377' --collect $'*\377' --deny-import $'\377'
	equal "$(got 'r["stdout"]')" $'[\'main.py\', \'\\xe4\\udcff\'] 1'
	holds 'r["files"] == {"\xe4\ufffd": "1"}'
	for name in ../x /x a//b main.py main.py/x; do
		run -125 sbx eval --file "$name=in/a" "$py" - <<<1
	done
	# a file where a directory must be made
	try 'print("never")' --file a=in/a --file a/b=in/b
	holds 'r["error"]["type"] == "NotADirectoryError"' 'not r["success"]' 'r["stdout"] == ""'
}

@test "files are collected by their names, wherever links lead" {
	try 'import os
os.makedirs("d/e/.hidden")
for name in "d/x.csv", "d/e/y.csv", "d/e/.z.csv", "d/e/.hidden/w.csv", "top.csv": open(name, "w").write(name)
os.symlink("..", "d/up"); os.symlink("d", "link"); os.symlink("/etc", "d/out"); os.symlink("x.csv", "d/same.csv")
os.mkfifo("fifo.csv"); os.symlink("/dev/zero", "zero.csv"); os.mkdir("dir.csv"); os.symlink("self.csv", "self.csv")' \
		--collect '**/*.csv' --collect '../*' --collect '/work/*' --collect 'link/e/*' --collect '**/**/.*'
	holds 'sorted(r["files"]) == ["d/e/.z.csv", "d/e/y.csv", "d/same.csv", "d/x.csv", "link/e/y.csv", "top.csv"]' \
		'r["files"]["d/same.csv"] == "d/x.csv"' 'r["success"]'
}

@test "it sees no network, no file of the machine, and can write memory only" {
	try 'import socket, os
print(sorted(os.listdir("/sys/class/net")))
try: socket.create_connection(("1.1.1.1", 80), 1)
except OSError as e: print(e.errno)
for path in "/etc/x", "/usr/x", "/x":
    try: open(path, "w")
    except OSError as e: print(e.errno)
print(open("/proc/self/status").read().split("CapEff:\t")[1][:16], open("/proc/self/status").read().split("NoNewPrivs:\t")[1][:1])
open("/tmp/x", "w"); open("y", "w")'
	equal "$(got 'r["stdout"]')" $'[\'lo\']\n101\n30\n30\n30\n0000000000000000 1'
	holds 'r["success"]'
}

@test "the environment is the documented one" {
	SECRET=1 PYTHONPATH=/x sbx eval "$py" - <<<'import os; print(sorted(os.environ))' >result
	equal "$(got 'r["stdout"]')" "['HOME', 'HOSTNAME', 'LANG', 'MPLBACKEND', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'PATH', 'TMPDIR']"
}

# A stand-in for matplotlib, which the tests' images do not have.
false_matplotlib() {
	cat >pyplot.py <<-'PY'
		open_ = {}
		class Figure:
		    def __init__(self, n): self.n = n
		    def savefig(self, to, format): to.write(b"\x89PNG" + bytes([self.n]))
		def figure(n): return open_.setdefault(n, Figure(n))
		def get_fignums(): return sorted(open_)
		def close(n): del open_[n]
	PY
	: >nothing
	matplotlib=(--file matplotlib/__init__.py=nothing --file matplotlib/pyplot.py=pyplot.py)
}

@test "figures that are left open come back, and nothing printed can be taken for one" {
	false_matplotlib
	try 'import matplotlib.pyplot as plt
for n in 1, 2, 3: plt.figure(n)
plt.close(2)
print("{\"figures\": [\"AAAA\"]}")' "${matplotlib[@]}" --figures
	holds 'r["success"]' '[__import__("base64").b64decode(f) for f in r["figures"]] == [b"\x89PNG\1", b"\x89PNG\3"]'
	try 'import matplotlib.pyplot as plt; plt.figure(1)' "${matplotlib[@]}"
	holds 'r["figures"] == []'
	try 'import matplotlib.pyplot as plt; plt.figure(1).savefig = None' "${matplotlib[@]}" --figures
	holds 'not r["success"]' 'r["error"]["type"] == "TypeError"'
	try 'print(1)' --figures
	holds 'r["success"]' 'r["figures"] == []'
}

@test "secrets are censored in all that comes back, with patterns of one's own too" {
	echo 'pin PIN:([0-9]+)' >patterns
	try 'print("password=hunter2", "PIN:1234")
v = {"token": "abcdefgh", "n": "https://u:pass@host/"}
open("f", "w").write("x AKIA" + "ABCDEFGHIJKLMNOP")
raise ValueError("sk-" + "a" * 30)' --redact-pattern patterns --return-vars --collect f
	holds 'r["stdout"] == "password=[REDACTED:password] PIN:[REDACTED:pin]\n"' \
		'r["error"]["message"] == "[REDACTED:openai-key]"' '"aaaa" not in r["stderr"]' \
		'"aaaa" not in r["error"]["traceback"]' \
		'r["vars"]["v"] == {"token": "[REDACTED]", "n": "https://u:[REDACTED:url-credentials]@host/"}' \
		'r["files"]["f"] == "x [REDACTED:aws-key]"'
	try 'print("password=hunter2")'
	holds '"hunter2" in r["stdout"]'
	# secrets are found before output is truncated, even one at the cut
	try 'print("gh" + "p_" + "a" * 36)' --redact --max-output 20
	holds '"aaa" not in r["stdout"]'
	echo 'lonely' >patterns
	run -125 sbx eval --redact-pattern patterns "$py" - <<<1
	contains "$output" "patterns:1: want a name and a regular expression"
}

@test "import statements may be restricted, those of modules themselves are not" {
	try 'import math, json.decoder; from os import path; print(1)' --allow-import math,json --allow-import os
	holds 'r["success"]'
	try 'import random' --allow-import math
	holds 'r["error"]["type"] == "ImportError"' '"random" in r["error"]["message"]'
	try $'import random\nimport os.path' --deny-import os,ctypes
	holds 'r["error"]["type"] == "ImportError"' 'r["error"]["line"] == 2' '"<sbx>" not in r["stderr"]' \
		'r["error"]["traceback"] == r["stderr"] and r["stderr"].count("File") == 1'
	try 'from os import path' --deny-import os.path
	holds 'r["error"]["type"] == "ImportError"'
	try 'from os import sep' --deny-import os.path
	holds 'r["success"]'
}

@test "a seed makes random the same, none makes it differ" {
	try 'import random; print(random.random())' --seed 7
	first=$(got 'r["stdout"]')
	try 'import random; print(random.random())' --seed 7
	equal "$(got 'r["stdout"]')" "$first"
	try 'import random; print(random.random())'
	second=$(got 'r["stdout"]')
	try 'import random; print(random.random())'
	[ "$(got 'r["stdout"]')" != "$second" ]
}

@test "a tracer of the code's functions does not see ours" {
	try 'import sys; sys.settrace(lambda *a: 1 / 0); sys.setprofile(lambda *a: 1 / 0)'
	holds 'r["error"]["type"] == "ZeroDivisionError"'
	try 'import sys; sys.settrace(lambda *a: 1 / 0); raise ValueError("mine")'
	holds 'r["error"]["type"] == "ValueError"' 'r["error"]["message"] == "mine"'
	try 'import sys; sys.settrace(lambda *a: 1 / 0); print(1)'
	holds 'r["success"]' 'r["stdout"] == "1\n"'
}

@test "nothing of ours is in the way of the code" {
	try 'print(sorted(k for k in globals() if k != "__builtins__"))
import sys, builtins
print([m for m in sys.modules if "sbx" in m], "say" in globals(), hasattr(builtins, "say"))
try: import no_such_module
except ModuleNotFoundError as e: print(e)
print(repr(exit))
class D:
    def __del__(self): print("gone")
d = D()
c = D(); c.cycle = c
import atexit; atexit.register(print, "bye"); open(1, "w", closefd=False).write("left\n")
f = open(1, "w", closefd=False); f.write("open\n")
try:
    import ctypes; ctypes.CDLL(None).printf(b"of C\n")
except OSError: print("of C")'
	equal "$(got 'r["stdout"]')" "['__doc__', '__file__', '__loader__', '__name__', '__package__', '__spec__']
[] False False
No module named 'no_such_module'
Use exit() or Ctrl-D (i.e. EOF) to exit
left
bye
gone
open
gone
of C"
	# code that breaks python's builtins is answered as usual
	try 'import builtins, sys
for name in "len", "str", "isinstance", "getattr", "open", "print": setattr(builtins, name, None)
sys.modules.clear(); sys.stderr = None
x = 1' --return-var x
	holds 'r["success"] or r["exit_code"]'
	try 'import sys; sys.excepthook = lambda *a: print("mine"); 1/0'
	holds 'r["stdout"] == "mine\n"' 'r["error"]["type"] == "ZeroDivisionError"'
}

@test "--pids-limit and --python" {
	try 'import os
for n in range(20):
    try: pid = os.fork()
    except OSError: print(n); break
    if not pid: os.read(os.pipe()[0], 1)' --pids-limit 6
	holds '0 < int(r["stdout"]) < 6'
	try 'import sys; print(sys.version_info[0], sys.executable)' --python /usr/bin/python3
	equal "$(got 'r["stdout"]')" '3 /usr/bin/python3'
}

@test "it works without FUSE and without overlay" {
	SBX_FUSE=off try 'print(1); open("x", "w")'
	holds 'r["success"]' 'r["stdout"] == "1\n"'
	SBX_OVERLAY=off try 'print(1); open("x", "w")'
	holds 'r["success"]' 'r["stdout"] == "1\n"'
	try 'open("/x", "w")'
	holds 'r["error"]["type"] == "OSError"'
}

@test "many at once, and nothing is left" {
	for i in {1..12}; do
		"$SBX" eval "$py" - <<<"print($i)" >"result$i" 3>&- &
		pids[i]=$!
	done
	for i in {1..12}; do
		wait "${pids[i]}"
	done
	for i in {1..12}; do
		grep -q "\"stdout\":\"$i\\\\n\"" "result$i"
	done
}

@test "a killed client leaves nothing" {
	nap=$(a_nap)
	"$SBX" eval --timeout 1h "$py" - <<<"import subprocess; subprocess.call(['sleep', '$nap'])" >/dev/null 3>&- &
	client=$!
	eventually sleeps "$nap"
	kill -9 "$client"
	eventually sleeps "$nap" 0
}

@test "what is preloaded may write files, which no request sees; what fails leaves no half of itself" {
	where=$(sbx run --rm "$py" python3 -c 'import os; print(os.path.dirname(os.__file__))')
	mkdir half
	echo 'from . import part; 1 / 0 if __import__("os").path.exists("/work/.ready") else part.x' >half/__init__.py
	echo 'x = 1' >half/part.py
	printf '%s\n' 'import os, tempfile' 'f = tempfile.NamedTemporaryFile(delete=False)' \
		'open(os.path.expanduser("~/.ready"), "w")' >writes.py
	sbx import "$py" "$c:base" >/dev/null
	sbx create --name "$c" "$c:base" true >/dev/null
	sbx cp half "$c:$where"
	sbx cp writes.py "$c:$where"
	sbx commit "$c" "$c:more" >/dev/null
	printf '%s\n' '{"code": "import os, sys, writes; print(os.path.exists(writes.f.name), os.listdir(\"/work\"), \"half\" in sys.modules); import half; print(half.part.x)"}' |
		sbx eval --jsonl -j 1 --preload writes,half "$c:more" >result 2>err
	contains "$(cat err)" "cannot preload half: ZeroDivisionError"
	equal "$(got 'r["stdout"]')" $'False [\'main.py\'] False\n1'
	sbx rm "$c" >/dev/null
	sbx rmi "$c:more" "$c:base" >/dev/null
}

@test "what the image sets in its environment is not there, but for where programs are" {
	printf '%s\n' 'import os; print(sorted(os.environ), os.environ["PATH"])' >code.py
	sbx import -c 'ENV SECRET=1' -c 'ENV PATH=/usr/bin:/of/image' "$py" "$c:env" >/dev/null
	sbx eval "$c:env" code.py >result
	lacks "$(got 'r["stdout"]')" SECRET
	contains "$(got 'r["stdout"]')" /usr/bin:/of/image
	sbx rmi "$c:env" >/dev/null
}

# lies KIND BYTES END: a snippet that sends a frame of its own in pid 1's name, and one without an end, and ends so
lies() {
	printf '%s\n' 'import os, resource' 'resource.setrlimit(resource.RLIMIT_CORE, (0, 0))' \
		"os.write(250, b'$1' + len($2).to_bytes(4, 'little') + $2 + b'd\\0\\0\\0\\0' + b'g\\xff\\xff\\xff\\0')" "$3" >code.py
	sbx eval "$py" code.py >result
}

@test "how python ended is told by nobody but pid 1" {
	run -0 lies w '(9).to_bytes(4, "little")' 'os._exit(0)'
	holds 'r["reason"] == "exited"' 'r["exit_code"] == 0' 'r["signal"] is None'
	run -1 lies w '(0).to_bytes(4, "little")' 'os.abort()'
	holds 'r["reason"] == "signalled"' 'r["exit_code"] == 134' 'r["signal"] == 6'
	run -1 lies x 'b"the image is broken"' 'os._exit(3)'
	holds 'r["reason"] == "exited"' 'r["exit_code"] == 3' 'r["error"] is None'
	# ... and pid 1 does nothing for those inside
	printf '%s\n' 'import ctypes, os' 'c = ctypes.CDLL(None, use_errno=True)' \
		'print(c.ptrace(0x4206, 1, 0, 0), ctypes.get_errno())' >code.py
	sbx eval "$py" code.py >result
	equal "$(got 'r["stdout"]')" '-1 1'
}

@test "code that cannot be run is an error, and 125" {
	run -125 --separate-stderr sbx eval nosuch-image - <<<1
	echo "$output" >result
	holds 'r["reason"] == "setup-error"' 'r["error"]["type"] == "SetupError"' 'not r["success"]'
	contains "$stderr" "No such image"
	run -125 --separate-stderr sbx eval "$py" no-such-file
	echo "$output" >result
	holds 'r["error"]["type"] == "RequestError"'
	for word in "--file a=no-such" "--vars no-such" "--stdin no-such" "--redact-pattern no-such"; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr sbx eval $word "$py" - <<<1
		equal "$stderr" "sbx eval: $word: open no-such: No such file or directory"
	done
	for word in --timeout --memory --pids-limit; do
		run -125 --separate-stderr sbx eval $word 0 "$py" - <<<1
		equal "$stderr" "sbx eval: $word: want more than 0"
	done
	truncate -s 127M big # 33 of them would be more than a message's length can say
	# shellcheck disable=SC2046
	run -125 --separate-stderr sbx eval $(seq -f '--file %g=big' 33) "$py" - <<<1
	equal "$stderr" "sbx eval: --file: together more than 2147483648 bytes"
	for alone in '-j 2' --unordered --fresh '--preload json'; do
		# shellcheck disable=SC2086
		run -125 --separate-stderr sbx eval $alone "$py" - <<<1
		contains "$stderr" "want --jsonl or --listen"
	done
	run -125 sbx eval --jsonl "$py" code.py </dev/null
	run -125 sbx eval --jsonl --stdin - "$py" </dev/null
	run -125 sbx eval --stdin - "$py" - <<<1
	run -125 sbx eval --pids-limit -1 "$py" - <<<1
	run -125 --separate-stderr sbx eval --python nosuch "$py" - <<<1
	echo "$output" >result
	holds 'r["reason"] == "setup-error"' 'r["error"]["message"].endswith("nosuch: No such file or directory")'
	run -125 --separate-stderr sbx eval "$box" - <<<1
	contains "$stderr" "python3: No such file or directory"
}
