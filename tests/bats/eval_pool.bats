load lib

setup() {
	c=t$BATS_TEST_NUMBER
	cd "$BATS_TEST_TMPDIR" || return
}

teardown() {
	end_background
	[ -z "${pool-}" ] || kill "$pool" 2>/dev/null || true
	[ -z "${pool-}" ] || kill -CONT "$pool" 2>/dev/null || true # it may be stopped
}

# ask ID CODE [FIELDS]: adds a request to ./requests; FIELDS is JSON without its braces
ask() {
	python3 - "$@" >>requests <<-'END'
		import json, sys
		r = {"id": sys.argv[1], "code": sys.argv[2]}
		r.update(json.loads("{%s}" % (sys.argv[3] if len(sys.argv) > 3 else "")))
		print(json.dumps(r))
	END
}

# answer [OPTION...]: runs a pool for all requests; its answers are in ./answers
answer() {
	sbx eval --jsonl --timeout 60s "$@" "$py" <requests >answers 2>err || { echo "status $?"; cat err; return 1; }
	equal "$(wc -l <answers)" "$(grep -c . requests)"
}

# holds EXPRESSION...: each is true; a has the answers by id, all is their list
holds() {
	python3 - "$@" <<-'END'
		import json, sys
		all = [json.loads(line) for line in open("answers")]
		a = {r["id"]: r for r in all}
		for each in sys.argv[1:]:
		    if not eval(each):
		        sys.exit("not true: %s\n%s" % (each, "\n".join(map(str, all))))
	END
}

@test "requests are answered, a line each, in their order" {
	for i in 1 2 3 4 5 6; do
		ask "$i" "import time; time.sleep(0.1 * ($i % 3)); print($i)"
	done
	answer -j 3
	holds '[r["id"] for r in all] == list("123456")' \
		'[r["stdout"] for r in all] == ["%d\n" % i for i in range(1, 7)]' \
		'{r["success"] for r in all} == {True}' 'len({r["container"] for r in all}) == 1'
}

@test "with --unordered they come as they finish" {
	mkfifo in
	"$SBX" eval --jsonl --unordered -j 2 "$py" <in >answers 3>&- &
	pool=$! # not %1, which may be bats' own job for a test's timeout
	exec {in}>in
	echo '{"id": 1, "code": "import time; time.sleep(1000)", "timeout": 1000}' >&"$in"
	echo '{"id": 2, "code": "print(2)"}' >&"$in"
	eventually test -s answers
	holds 'all[0]["id"] == 2'
	exec {in}>&-
	kill "$pool"
	wait "$pool" || true
}

@test "a bad line is a bad answer, and the next is read" {
	{
		echo '{"id": 1, "code": "print(1)"}'
		echo 'nonsense'
		echo '[1, 2]'
		echo '{"id": 2}'
		echo '{"id": 3, "code": "1", "colour": "red"}'
		echo '{"id": 4, "code": 5}'
		echo '{"id": 5, "code": "1", "timeout": -1}'
		printf '{"id": 6, "code": "print(\xff)"}\n'
		printf '{"id": 7, "code": "a\0b"}\n'
		echo
		echo '{"id": 8, "code": "print(\"a\\u0000b\")"}'
		printf '{"id": 9, "code": "print(9)"}'
	} >requests
	sbx eval --jsonl "$py" <requests >answers
	holds 'len(all) == 11' 'a[1]["stdout"] == "1\n" and a[9]["stdout"] == "9\n"' \
		'all[1]["id"] is None and all[1]["error"]["type"] == "RequestError"' \
		'[r["reason"] for r in all[1:9]] == ["setup-error"] * 8' \
		'"colour" in a[3]["error"]["message"]' 'a[3]["error"]["type"] == "RequestError"' \
		'a[8]["reason"] == "exited"'
}

@test "each request has its right end" {
	ask loop 'while True: pass' '"timeout": 0.3'
	ask memory 'x = []
while True: x.append(bytearray(1 << 20))' '"memory": "64m"'
	ask huge 'x = bytearray(4 << 30)'
	ask exit 'import sys; sys.exit(3)'
	ask _exit 'import os; print("a", flush=True); os._exit(4)'
	ask kill 'import os; os.kill(os.getpid(), 9)'
	ask term 'import os; os.kill(os.getpid(), 15)'
	ask abort 'import os; os.abort()'
	ask crash 'import ctypes; ctypes.string_at(0)'
	ask syntax 'def ('
	ask raise 'def f():
  raise ValueError("x")
f()'
	ask output 'while True: print("x" * 1000)' '"timeout": 5, "max_output": 100'
	ask thread 'import threading, time; threading.Thread(target=time.sleep, args=[99]).start()' '"timeout": 0.3'
	ask stdin 'print(input())' '"stdin": "hello\n"'
	ask nostdin 'input()'
	ask vars 'y = x + 1' '"vars": {"x": 41}, "return_vars": ["y"]'
	ask files 'open("o", "w").write(open("a").read() * 2)' '"files": {"a": "ab"}, "collect": ["o"]'
	ask closed 'import os; os.close(1); os.close(2)'
	ask last 'print("still here")'
	answer -j 2
	holds 'a["loop"]["timeout"] and a["loop"]["reason"] == "timeout" and a["loop"]["exit_code"] == 124' \
		'a["memory"]["memory_exceeded"] and a["memory"]["reason"] == "oom"' \
		'a["huge"]["memory_exceeded"] and a["huge"]["error"]["type"] == "MemoryError"' \
		'a["exit"]["exit_code"] == 3' 'a["_exit"]["exit_code"] == 4 and a["_exit"]["stdout"] == "a\n"' \
		'[a[k]["signal"] for k in ("kill", "term", "abort", "crash")] == [9, 15, 6, 11]' \
		'a["kill"]["reason"] == "signalled" and a["term"]["exit_code"] == 143' \
		'a["syntax"]["error"]["type"] == "SyntaxError"' \
		'a["raise"]["error"]["line"] == 2 and a["raise"]["error"]["type"] == "ValueError"' \
		'a["output"]["truncated"]["stdout"] and len(a["output"]["stdout"]) < 300' \
		'a["thread"]["timeout"]' 'a["stdin"]["stdout"] == "hello\n"' \
		'a["nostdin"]["error"]["type"] == "EOFError"' 'a["vars"]["vars"] == {"y": 42}' \
		'a["files"]["files"] == {"o": "abab"}' 'a["closed"]["success"]' \
		'a["last"]["stdout"] == "still here\n"'
}

@test "what is forged on the channel changes nothing but the forger's own answer" {
	# from the pool's first cell: as if cells could not be isolated on this machine
	ask refusal 'import os; os.write(250, b"X\x05\0\0\0Forge"); os._exit(125)'
	ask refused 'import os; os.write(250, b"X\x05\0\0\0Forge"); print(1)'
	ask name 'import os
for name in b"../x", b"/x", b"a/../../x", b"a//x", b".", b"main.py/x":
    os.write(250, b"f" + (len(name) + 3).to_bytes(4, "little") + name + b"\0AB")
os.write(250, b"f\x04\0\0\0ok\0A")' '"collect": ["none"]'
	ask last 'import os; print(os.getpid())'
	answer -j 1
	holds 'a["refusal"]["exit_code"] == 125 and a["refusal"]["reason"] == "exited"' 'a["refusal"]["error"] is None' \
		'a["refused"]["success"] and a["refused"]["stdout"] == "1\n"' \
		'a["name"]["files"] == {"ok": "A"} and a["name"]["truncated"]["rest"]' \
		'a["last"]["stdout"] == "2\n"'
	[ ! -s err ]
}

@test "a child that is killed for memory is told of, though its parent goes on" {
	ask child 'import os, time
if os.fork() == 0:
    x = bytearray(100 << 20)
    time.sleep(50)
    os._exit(0)
os.wait()
print("went on")' '"memory": "64m"'
	answer
	holds 'a["child"]["memory_exceeded"] and not a["child"]["success"]' 'a["child"]["stdout"] == "went on\n"' \
		'a["child"]["reason"] == "oom" and a["child"]["exit_code"] == 0'
}

@test "a limit that is reached before anything runs is that limit, and no failure of the pool" {
	local nap='import time; time.sleep(55)'
	for i in 1 2 3 4 5 6; do ask "t$i" "$nap" '"timeout": 1e-6'; ask "m$i" "$nap" '"memory": 1'; done
	ask last 'import os; print(os.getpid())'
	answer -j 2
	holds '{(a["t%d" % i]["reason"], a["t%d" % i]["exit_code"]) for i in range(1, 7)} == {("timeout", 124)}' \
		'{a["m%d" % i]["memory_exceeded"] for i in range(1, 7)} == {True}' 'a["last"]["stdout"] == "2\n"'
	[ ! -s err ]
}

@test "nothing that a snippet does reaches the next" {
	ask one 'import builtins, os, random, sys, threading, time, json
builtins.len = lambda x: 5
json.dumps = None
sys.path.append("/nowhere")
os.environ["LEFT"] = "1"
random.seed(1)
for d in "/tmp", "/dev/shm", "/work":
    open(d + "/left", "w").write("x")
threading.Thread(target=time.sleep, args=[99], daemon=True).start()
if os.fork() == 0:
    os.setsid()
    time.sleep(99)'
	ask two 'import os, json, sys, threading
print(len("abc"), json.dumps([]), "/nowhere" in sys.path, "LEFT" in os.environ, threading.active_count())
print([os.listdir(d) for d in ("/tmp", "/dev/shm", "/work")])
print(sorted(int(p) for p in os.listdir("/proc") if p.isdigit()), os.getpid())'
	answer -j 1
	holds 'a["one"]["success"]' \
		'a["two"]["stdout"] == "3 [] False False 1\n[[], [], [" + repr("main.py") + "]]\n[1, 2] 2\n"'
}

@test "a request is alone: its own namespaces, no rights, nothing of the template in reach" {
	code='import os
for n in "pid", "mnt", "ipc", "net", "uts", "user":
    print(os.stat("/proc/self/ns/" + n).st_ino)'
	for i in 1 2 3; do
		ask "$i" "$code
import time; time.sleep(0.5)"
	done
	ask rights 'for l in open("/proc/self/status"):
    if l.startswith(("Cap", "NoNewPrivs", "Seccomp:")): print(l.split()[1])'
	ask parent 'import os, signal
print(os.getppid(), sorted(os.listdir("/proc/self/fd")))
try: os.kill(1, signal.SIGKILL)
except OSError: pass # pid 1 may have another id
for p in "/proc/1/root/", "/proc/1/mem", "/proc/1/exe":
    try: os.open(p, os.O_RDONLY); print("open", p)
    except OSError: pass
os.kill(os.getppid(), signal.SIGKILL)'
	ask write 'import os
for p in "/", "/dev", "/etc", "/usr", "/root", "/run", "/proc/sys/kernel", "/dev/mqueue":
    try: open(p + "/new", "w"); print("written", p)
    except OSError: pass
try: os.unshare(0x10000000) if hasattr(os, "unshare") else 0
except OSError: pass
for f in ("/proc/timer_list", "/proc/keys"):
    if os.path.exists(f): print(repr(open(f).read()))'
	ask net 'import socket
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen()
c = socket.create_connection(s.getsockname())
print(socket.if_nameindex())'
	ask files 'import os
for p in "/work", "/tmp", "/dev/shm":
    s = os.statvfs(p); print(p, s.f_blocks * s.f_frsize >> 20)'
	answer -j 3 -m 128m
	holds 'len({n for i in "123" for n in a[i]["stdout"].split()}) == 18' \
		'a["rights"]["stdout"].split() == ["0000000000000000"] * 5 + ["1", "2"]' \
		'a["parent"]["stdout"] == "0 [\"0\", \"1\", \"2\", \"250\", \"3\"]\n".replace("\"", chr(39))' \
		'a["parent"]["signal"] == 9' 'set(a["write"]["stdout"].split()) <= {chr(39) * 2}' \
		'a["write"]["success"]' 'a["net"]["stdout"].count("lo") == 1 and a["net"]["success"]' \
		'a["files"]["stdout"].split() == ["/work", "128", "/tmp", "128", "/dev/shm", "128"]'
}

@test "what a request has mounted holds no programs of others and no devices, and cannot be changed" {
	ask mounts 'import os
options = {}
for line in open("/proc/self/mountinfo"):
    f = line.split()
    options[f[4]] = set(f[5].split(","))
for at, wanted in {"/": "ro nosuid", "/proc": "nosuid nodev noexec", "/work": "nosuid nodev", "/tmp": "nosuid nodev",
                   "/dev/shm": "nosuid nodev", "/dev/pts": "nosuid noexec", "/proc/sys": "ro nosuid nodev noexec",
                   "/proc/sysrq-trigger": "ro nosuid nodev noexec"}.items():
    if os.path.exists(at) and set(wanted.split()) - options.get(at, set()): print(at, options.get(at))
for at, options in options.items():
    if "nosuid" not in options: print(at, options)
print(os.path.isdir("/proc/sys/kernel"), *["%s %o" % (d, os.stat(d).st_mode & 0o7777) for d in ("/work", "/tmp", "/dev/shm")])'
	ask first 'for l in open("/proc/1/status"):
    if l.startswith(("CapInh", "CapPrm", "CapEff", "CapAmb")): print(l.split()[1])'
	answer -j 1
	holds 'a["mounts"]["stdout"] == "True /work 755 /tmp 1777 /dev/shm 1777\n"' \
		'a["first"]["stdout"].split() == ["0000000000000000"] * 4'
}

@test "a request leads a session of its own and leaves no core, as the machine sees it" {
	ulimit -S -c "$(ulimit -H -c)"
	listen -j 1
	talk 'a = c()
say(a, {"code": called + "import time; time.sleep(999)", "timeout": 999})
at = begun()
state, parent, group, session = open(at + "/stat").read().rpartition(")")[2].split()[:4]
assert group == session == os.path.basename(at), (group, session, at)
limit = [line.split()[4:6] for line in open(at + "/limits") if line.startswith("Max core file size")]
assert limit == [["0", "0"]], limit'
	end_pool
}

@test "what the template has open reaches no request, with locked memory to be had or without" {
	ask fds 'import os
print(sorted({os.readlink("/proc/self/fd/%s" % f).split(":")[0] for f in os.listdir("/proc/self/fd") if
	os.path.lexists("/proc/self/fd/%s" % f)}))'
	ask loud 'print("x" * 300000)'
	answer
	holds '"io_uring" not in a["fds"]["stdout"] and "memfd" not in a["fds"]["stdout"]' 'len(a["loud"]["stdout"]) > 60000'
	(ulimit -l 0 && answer)
	holds '"io_uring" not in a["fds"]["stdout"]' 'a["fds"]["success"]' 'a["loud"]["success"]'
}

@test "a child that waited shares its memory with a process of its cell, and nothing else changes" {
	[ "$(uname -m)" = x86_64 ] || skip "no package gives it: a child shares its memory so on x86_64 only (lib/python/hold.c)"
	SBX=$SBX py=$py python3 - <<-'END'
		import json, os, subprocess, time
		pool = subprocess.Popen([os.environ["SBX"], "eval", "--jsonl", "--timeout", "60s", os.environ["py"]],
		                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		def held(code, **more):
		    """Asked for until a child has it that had waited for long enough, and whose process 4 lives while it looks:
		    that one ends when memory is looked at."""
		    code = "import os, sys, time\nif not os.path.exists('/proc/4'): sys.exit('alone')\n" + code
		    while True:
		        pool.stdin.write(json.dumps({"id": 1, "code": code, **more}).encode() + b"\n")
		        pool.stdin.flush()
		        r = json.loads(pool.stdout.readline())
		        if not any(gone in r["stderr"] for gone in ("alone\n", "'/proc/4", "ProcessLookupError")):
		            return r
		        time.sleep(0.05)
		def says(r, text):
		    assert r["success"] and r["stdout"] == text, r
		# its memory is counted only once
		says(held("x = bytearray(40 << 20)\nwhile os.path.exists('/proc/4'): time.sleep(0.01)\n"
		          "time.sleep(0.3)\nprint(len(x))", memory="64m"), "41943040\n")
		r = held("x = [bytearray(1 << 20) for _ in range(100)]\ntime.sleep(50)", memory="64m")
		assert r["memory_exceeded"] and r["reason"] == "oom", r
		says(held("try: os.wait()\nexcept ChildProcessError: print('none')"), "none\n")
		says(held("print(open('/proc/4/stat').read().split(')')[1].split()[1], os.listdir('/proc/4/fd'),\n"
		          "      [line for line in open('/proc/4/status') if line[:7] in ('CapEff:', 'CapPrm:', 'NoNewPr', 'Seccomp')]\n"
		          "      == [line for line in open('/proc/self/status') if line[:7] in ('CapEff:', 'CapPrm:', 'NoNewPr', 'Seccomp')],\n"
		          "      all(os.readlink('/proc/4/ns/' + n) == os.readlink('/proc/self/ns/' + n) for n in os.listdir('/proc/self/ns')))"),
		     "1 [] True True\n")
		says(held("os.kill(-1, 9)\nprint(1)"), "1\n")
		says(held("os.kill(4, 19)\nprint(2)"), "2\n")
		r = held("os.execvp('python3', ['python3', '-c', 'print(3)'])")
		assert r["stdout"] == "3\n" and r["exit_code"] == 0, r
		r = held("os.kill(os.getpid(), 11)")
		assert r["signal"] == 11 and r["exit_code"] == 139, r
		r = held("import threading\nthreading.Thread(target=time.sleep, args=(50,)).start()\nos._exit(4)")
		assert r["exit_code"] == 4, r
		says(held("print(4)"), "4\n")
		pool.stdin.close()
		assert pool.wait() == 0
	END
}

@test "a fork bomb is alone with itself" {
	ask bomb 'import os
while True:
    try: os.fork()
    except OSError: pass' '"timeout": 2'
	for i in 1 2 3; do ask "$i" "print($i)"; done
	answer -j 2 --unordered
	holds 'all[0]["id"] != "bomb" and a["bomb"]["timeout"]' '{a[i]["success"] for i in "123"} == {True}'
}

@test "shared memory with a key, which no limit would count, cannot be had" {
	ask 1 'import ctypes
libc = ctypes.CDLL(None, use_errno=True)
print(libc.shmget(0, 4096, 0o1600), ctypes.get_errno())'
	answer
	holds 'all[0]["stdout"] == "-1 28\n"'
}

@test "random numbers begin with a fresh seed, or with the one that was asked for" {
	code='import random; print(random.random())'
	ask 1 "$code"
	ask 2 "$code"
	ask 3 "$code" '"seed": 7'
	ask 4 "$code" '"seed": 7'
	answer -j 1 --preload random
	holds 'a["1"]["stdout"] != a["2"]["stdout"]' 'a["3"]["stdout"] == a["4"]["stdout"]' \
		'a["3"]["stdout"] not in (a["1"]["stdout"], a["2"]["stdout"])'
}

@test "modules are imported ahead, and one that cannot be is told of" {
	ask 1 'import sys; print("sqlite3" in sys.modules, "csv" in sys.modules)'
	answer -j 1 --preload json,csv --preload nosuchmodule
	holds 'a["1"]["stdout"] == "False True\n"'
	grep -q "cannot preload nosuchmodule: ModuleNotFoundError" err
}

@test "--fresh gives each request a container of its own" {
	needs_static # pid 1 of a container that is not a pool's
	ask 1 'print(1)'
	ask 2 'print(2)'
	ask 3 'while True: pass' '"timeout": 0.5'
	answer -j 2 --fresh
	holds 'len({r["container"] for r in all}) == 3' 'a["2"]["stdout"] == "2\n"' 'a["3"]["timeout"]'
}

@test "an image that is not there, or has no python, is one clear sentence" {
	needs_static # pid 1 of a container that is not a pool's
	ask 1 'print(1)'
	run -125 --separate-stderr sbx eval --jsonl nosuchimage <requests
	[[ $stderr == *nosuchimage* ]]
	[ -z "$output" ]
	run -125 --separate-stderr sbx eval --jsonl "$box" <requests
	[[ $stderr == *"no python3"* ]]
}

# talk CODE: runs python that has c(), which connects to ./s; say(c, ...), which sends lines; hear(c), which reads an answer
talk() {
	python3 - "$@" <<-'END'
		import glob, json, os, signal, socket, sys, time
		name = "s%d" % os.getpid()
		# A snippet that begins with this is found by begun(), which returns the directory of its process in the machine's /proc.
		called = "open('/proc/self/comm', 'w').write('%s')\n" % name
		def begun():
		    for _ in range(6000):
		        for path in glob.glob("/proc/[0-9]*/comm"):
		            try:
		                if open(path).read().strip() == name: return os.path.dirname(path)
		            except OSError: pass
		        time.sleep(0.01)
		    sys.exit("the snippet never began")
		def c():
		    s = socket.socket(socket.AF_UNIX)
		    s.connect("s")
		    return s
		def say(s, *requests):
		    s.sendall(b"".join(json.dumps(r).encode() + b"\n" for r in requests))
		files = {}
		def hear(s):
		    f = files.setdefault(s, s.makefile())
		    line = f.readline()
		    return json.loads(line) if line else None
		exec(sys.argv[1])
	END
}

# listen [OPTION...]: starts a pool on ./s; its pid is $pool
listen() {
	"$SBX" eval --listen unix:s "$@" "$py" 2>log &
	pool=$!
	eventually grep -q "^listening on unix:s" log
}

end_pool() {
	kill "$pool"
	wait "$pool"
	missing_path s
}

missing_path() {
	[ ! -e "$1" ] || { echo "still there: $1"; return 1; }
}

@test "answers that cannot be written, and requests that cannot be read, are told of, and 1" {
	ask 1 'print(1)'
	# shellcheck disable=SC2016
	run -1 --separate-stderr sh -c '"$0" eval --jsonl "$1" <requests >/dev/full' "$SBX" "$py"
	equal "$stderr" "sbx eval: write /dev/stdout: No space left on device"
	run -1 --separate-stderr sbx eval --jsonl "$py" <.
	equal "$stderr" "sbx eval: read /dev/stdin: Is a directory"
}

@test "a pool whose answers nobody reads any more ends by SIGPIPE" {
	ask 1 'print(1)'
	python3 - "$SBX" eval --jsonl -j 1 "$py" <<-'END'
		import os, signal, subprocess, sys
		r, w = os.pipe()
		with open("requests") as requests:
		    p = subprocess.Popen(sys.argv[1:], stdin=requests, stdout=w)
		os.close(r)
		assert p.wait() == -signal.SIGPIPE, p.returncode
	END
}

@test "a pool that a signal ends before its requests are done ends by that signal" {
	python3 - "$SBX" eval --jsonl -j 1 "$py" <<-'END'
		import json, signal, subprocess, sys
		for signo in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
		    p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
		    p.stdin.write(b'{"code": "print(1)"}\n{"code": "import time; time.sleep(999)", "timeout": 999}\n')
		    p.stdin.close()
		    assert json.loads(p.stdout.readline())["stdout"] == "1\n"
		    p.send_signal(signo)
		    assert p.wait() == -signo and p.stdout.read() == b"", (signo, p.returncode)
	END
}

@test "--listen serves many clients, each in its order, and keeps others out" {
	listen -j 2
	equal "$(stat -c %a s)" 600
	run -125 --separate-stderr sbx eval --listen unix:s "$py"
	[[ $stderr == *"another server listens there"* ]]
	talk 'a, b = c(), c()
for i in range(20):
    say(a, {"id": i, "code": "print(%d)" % i})
    say(b, {"id": i, "code": "print(-%d)" % i})
assert [hear(a)["stdout"] for i in range(20)] == ["%d\n" % i for i in range(20)]
assert [hear(b)["id"] for i in range(20)] == list(range(20))
say(a, {"id": "last", "code": "1"}); a.shutdown(socket.SHUT_WR)
assert hear(a)["id"] == "last" and hear(a) is None'
	end_pool
}

@test "--listen takes the place of a dead one, and of nothing else" {
	python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind("s")'
	listen -j 1
	talk 'a = c(); say(a, {"code": "print(1)"}); assert hear(a)["stdout"] == "1\n"'
	end_pool
	echo precious >s
	run -125 --separate-stderr sbx eval --listen unix:s "$py"
	[[ $stderr == *"no socket"* ]]
	equal "$(cat s)" precious
}

@test "--listen takes no socket away that is another's" {
	listen -j 1
	first=$pool
	rm s
	listen -j 1
	kill "$first"
	wait "$first"
	talk 'a = c(); say(a, {"code": "print(1)"}); assert hear(a)["stdout"] == "1\n"'
	end_pool
	python3 - "$SBX" "$py" "$PWD/s" <<-'END'
		import os, socket, subprocess, sys
		sbx, image, path = sys.argv[1:]
		ours = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		ours.bind(path)
		for words in ["eval", "--listen", "unix:" + path, image], ["serve", "-H", "unix://" + path]:
		    r = subprocess.run([sbx, *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
		                       timeout=100)
		    assert r.returncode and b"another's socket: " in r.stderr, r
		socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).connect(path)
	END
}

@test "a client that vanishes takes its requests with it, and others go on" {
	listen -j 1
	talk 'a, b = c(), c()
say(a, {"id": "slow", "code": called + "import time; time.sleep(999)", "timeout": 999}, {"id": "next", "code": "1"})
say(b, {"id": 1, "code": "print(1)"})
begun(); a.close()
assert hear(b)["stdout"] == "1\n"'
	end_pool
}

@test "who does not take answers is not read from" {
	listen -j 2
	POOL=$pool talk 'a, b = c(), c()
a.setblocking(False)
line, sent = json.dumps({"code": "print(\"x\" * 100000)"}).encode() + b"\n", 0
try:
    for i in range(100000): sent += a.send(line)
    sys.exit("nothing ever said stop")
except BlockingIOError: pass
say(b, {"code": "print(2)"})
assert hear(b)["stdout"] == "2\n"
assert int(open("/proc/%d/statm" % int(os.environ["POOL"])).read().split()[1]) < 50000
a.setblocking(True); n = 0
while n < 50: n += hear(a)["stdout"] == "x" * 100000 + "\n"'
	end_pool
}

@test "a request without end is refused, and what comes behind it is answered" {
	listen -j 1
	talk 'a = c()
a.sendall(b"{\"code\": \"")
for i in range(100): a.sendall(b"#" * (1 << 20))
a.sendall(b"\"}\n")
say(a, {"id": 2, "code": "print(2)"})
r = hear(a)
assert r["error"]["type"] == "RequestError" and "MiB" in r["error"]["message"], r
assert hear(a)["stdout"] == "2\n"'
	end_pool
}

# The pids of a pool's keeper and its python. A new cell is a child of the keeper, and has its name for a moment, so it is
# left out.
keeper_of() {
	local pid parent
	for pid in $(pgrep -x -u "$(id -u)" sbx-keeper); do
		parent=$(ps -o ppid= -p "$pid") && [ "$(ps -o comm= -p "$parent")" != sbx-keeper ] || continue
		grep -qsF "$SBX_ROOT" "/proc/$pid/mountinfo" && echo "$pid" && return
	done
	return 0
}

template_of() {
	pgrep -x -P "$(keeper_of)" python3
}

@test "a template that is killed is replaced, and no request is lost" {
	eventually eval '[ -z "$(keeper_of)" ]' # that of the test before may take a while to end
	listen -j 2
	first=$(keeper_of)
	TEMPLATE=$(template_of) talk 'a = c()
say(a, {"id": 0, "code": "print(0)"}); assert hear(a)["success"]
say(a, {"id": 1, "code": called + "import time; time.sleep(2); print(1)", "timeout": 99})
say(a, *({"id": i, "code": "print(%d)" % i} for i in range(2, 20)))
begun(); os.kill(int(os.environ["TEMPLATE"]), signal.SIGKILL)
assert [hear(a)["stdout"] for i in range(1, 20)] == ["%d\n" % i for i in range(1, 20)]'
	second=$(keeper_of)
	[ "$first" != "$second" ]
	kill -KILL "$second"
	talk 'a = c(); say(a, {"code": "print(3)"}); assert hear(a)["stdout"] == "3\n"'
	end_pool
}

@test "a pool whose program was replaced makes new templates, and containers with --fresh" {
	needs_static # pid 1 of a container that is not a pool's
	eventually eval '[ -z "$(keeper_of)" ]'
	for fresh in "" --fresh; do
		cp "$SBX" sbx
		SBX=$PWD/sbx listen -j 1 $fresh
		cp "$SBX" new
		mv new sbx
		[ -n "$fresh" ] || kill -KILL "$(keeper_of)"
		talk 'a = c(); say(a, {"code": "print(1)"}); r = hear(a); assert r["stdout"] == "1\n", r'
		end_pool
	done
}

@test "a template that has no room for a request's descriptors keeps none of them, and says so" {
	eventually eval '[ -z "$(keeper_of)" ]'
	listen -j 1
	TEMPLATE=$(template_of) talk 'import resource, time
t = int(os.environ["TEMPLATE"])
def count(): return len(os.listdir("/proc/%d/fd" % t))
def room(n):
    return resource.prlimit(t, resource.RLIMIT_NOFILE, (n, limits[1]))
a = c(); limits = resource.prlimit(t, resource.RLIMIT_NOFILE)
say(a, {"code": "print(1)"}); assert hear(a)["stdout"] == "1\n"
before = count(); room(before + 2)
for i in range(3): say(a, {"id": i, "code": "print(%d)" % i})
said = [hear(a) for i in range(3)]
room(limits[0])
say(a, {"code": "print(4)"}); r = hear(a)
assert r["stdout"] == "4\n", r
until = time.monotonic() + 30 # a next child takes some for a moment
while count() > before: assert time.monotonic() < until, (count(), before, said)'
	end_pool
}

# The template's forks for further lanes: those of its children that are in its own pid namespace.
lanes_of() {
	local pid
	for pid in $(pgrep -x -P "$1" python3); do
		[ "$(awk '/^NSpid/ {print NF}' "/proc/$pid/status" 2>/dev/null)" != \
			"$(awk '/^NSpid/ {print NF}' "/proc/$1/status")" ] || echo "$pid"
	done
}

# The keepers of further lanes.
keepers_of() {
	local pid
	for pid in $(pgrep -x -P "$1" sbx-keeper); do
		[ "$(awk '/^NSpid/ {print NF}' "/proc/$pid/status" 2>/dev/null)" != \
			"$(awk '/^NSpid/ {print NF}' "/proc/$1/status")" ] || echo "$pid"
	done
}

@test "a cell ends with the keeper that made it, though its manager stands still" {
	[ "$(nproc)" -gt 1 ] || skip "no package gives it: a second processor"
	eventually eval '[ -z "$(keeper_of)" ]'
	listen -j 2
	eventually eval 'lane=$(keepers_of "$(keeper_of)"); [ -n "$lane" ]'
	eventually pgrep -x -P "$lane" sbx-cell >/dev/null
	kill -STOP "$pool"
	cells=$(pgrep -x -P "$lane" sbx-cell)
	kill -KILL "$lane"
	for cell in $cells; do
		eventually gone "$cell"
	done
	kill -CONT "$pool"
	end_pool
}

@test "each lane keeps to a processor, and a snippet to none" {
	[ "$(nproc)" -gt 1 ] || skip "no package gives it: a second processor"
	listen -j 2
	talk 'a = c()
for i in range(20): say(a, {"id": i, "code": "import os; print(sorted(os.sched_getaffinity(0)))"})
assert [hear(a)["stdout"] for i in range(20)] == ["%s\n" % sorted(os.sched_getaffinity(0))] * 20'
	first=$(template_of)
	second=$(lanes_of "$first")
	one=$(awk '/^Cpus_allowed_list/ {print $2}' "/proc/$first/status")
	other=$(awk '/^Cpus_allowed_list/ {print $2}' "/proc/$second/status")
	[[ $one =~ ^[0-9]+$ && $other =~ ^[0-9]+$ && $one != "$other" ]]
	end_pool
}

@test "a fork of the template that is killed is replaced, and no request is lost" {
	[ "$(nproc)" -gt 1 ] || skip "no package gives it: a second processor"
	listen -j 2
	TEMPLATE=$(lanes_of "$(template_of)") talk 'a = c()
for i in range(2): say(a, {"id": i, "code": called + "import time; time.sleep(2); print(%d)" % i, "timeout": 99})
for i in range(2, 20): say(a, {"id": i, "code": "print(%d)" % i})
begun(); os.kill(int(os.environ["TEMPLATE"]), signal.SIGKILL)
assert [hear(a)["stdout"] for i in range(20)] == ["%d\n" % i for i in range(20)]'
	end_pool
}

@test "a template that is killed before it is ready is replaced, too" {
	eventually eval '[ -z "$(keeper_of)" ]'
	ask 1 'print(1)'
	mkfifo in
	sbx eval --jsonl -j 1 --preload asyncio,unittest.mock "$py" <in >answers 2>err &
	exec {in}>in
	cat requests >&"$in"
	for _ in 1 2; do
		eventually eval '[ -n "$(keeper_of)" ] || [ -s answers ]'
		first=$(keeper_of)
		[ -n "$first" ] || break # the machine was too slow: the template was ready already
		kill -KILL "$first"
		eventually eval '[ "$(keeper_of)" != "$first" ]'
	done
	exec {in}>&-
	wait $!
	holds 'a["1"]["stdout"] == "1\n"'
}

@test "a pool whose keeper stands still can be ended" {
	listen -j 1
	talk 'a = c(); say(a, {"code": "print(1)"}); assert hear(a)["stdout"] == "1\n"'
	kill -STOP "$(keeper_of)"
	end_pool
	SBX_TEST_SLOW=6 eventually eval '[ -z "$(keeper_of)" ]'
}

@test "kill -9 of the manager leaves nothing" {
	listen -j 2
	SELF=$pool talk 'a = c()
say(a, {"code": "import os, time\nos.fork()\nos.fork()\nopen(\"/tmp/x\", \"w\").write(\"x\" * 100000)\n" + called + "time.sleep(999)", "timeout": 999})
begun(); os.kill(int(os.environ["SELF"]), signal.SIGKILL)'
	wait "$pool" || true
	eventually eval '[ -z "$(keeper_of)" ]'
	eventually no_files_left
	listen -j 1
	end_pool
}

# Makes an image with a stand-in for numpy: a random generator of its own that is seeded at import.
with_numpy() {
	unsquashfs -q -n -d tree "$py" >/dev/null
	std=$(dirname "$(find tree -name os.py)")
	mkdir "$std/numpy"
	echo 'from . import random' >"$std/numpy/__init__.py"
	cat >"$std/numpy/random.py" <<-'END'
		import random as python
		own = python.Random(1)
		seed, random = own.seed, own.random
	END
	mksquashfs tree numpy.sqsh -quiet -no-progress -noI -noD -noF
}

@test "random numbers of numpy begin with a fresh seed as well" {
	with_numpy
	for i in 1 2; do ask "$i" 'import numpy; print(numpy.random.random())'; done
	for i in 3 4; do ask "$i" 'import numpy; print(numpy.random.random())' '"seed": 7'; done
	py=numpy.sqsh answer -j 1 --preload numpy
	holds 'a["1"]["success"] and a["1"]["stdout"] != a["2"]["stdout"]' 'a["3"]["stdout"] == a["4"]["stdout"]'
}

@test "a terminal sees how far a batch is" {
	for i in 1 2 3; do ask "$i" 'print(1)'; done
	python3 - "$SBX" eval --jsonl -j 1 "$py" <<-'END'
		import os, pty, subprocess, sys
		ours, theirs = pty.openpty()
		with open("requests") as requests, open("answers", "w") as answers:
		    p = subprocess.Popen(sys.argv[1:], stdin=requests, stdout=answers, stderr=theirs)
		os.close(theirs)
		seen = b""
		while True:
		    try: more = os.read(ours, 4096)
		    except OSError: break
		    if not more: break
		    seen += more
		assert p.wait() == 0 and b"answered" in seen and b"[" in seen and seen.endswith(b"\r\x1b[K"), seen
	END
	holds 'len(all) == 3'
}

@test "where no cell can be made, each request gets a container, and that is said" {
	needs_static # sbx itself is pid 1 of containers outside of pools
	ask 1 'print(1)'
	mkdir -m 700 own
	# There is room for a container, but not for a cell in it. Seeds made ahead of time, of which there may be some, take room as
	# well: so several sizes are tried.
	SBX_ROOT=$PWD/own/d SBX_RUNTIME=$PWD/own/r unshare -Ur sh -c '
		for i in $(seq 80); do
			echo $((i % 4 + 1)) >/proc/sys/user/max_uts_namespaces || exit
			"$0" eval --jsonl -j 1 "$1" <requests >answers 2>err && grep -q "\"success\":true" answers &&
				grep -q "each request gets a container" err && exit
		done' "$SBX" "$py"
	grep -q "each request gets a container" err
	holds 'a["1"]["stdout"] == "1\n"'
}

@test "with a python without ctypes each request gets a container, and that is said" {
	needs_static
	sbx run --name "$c" --entrypoint rm "$py" -rf "$(sbx run --rm "$py" python3 -c 'import ctypes; print(*ctypes.__path__)')"
	sbx commit "$c" "$c-i" >/dev/null
	for way in "" "--preload json"; do
		ask 1 'print(1)'
		ask 2 'print(2)'
		# shellcheck disable=SC2086
		sbx eval --jsonl -j 2 $way "$c-i" <requests >answers 2>err
		holds 'len(all) == 2' 'a["1"]["stdout"] == "1\n" and a["2"]["stdout"] == "2\n"' 'a["1"]["container"] != a["2"]["container"]'
		equal "$(grep -c "No module named 'ctypes'): each request gets a container" err)" 1
		rm requests
	done
	# --listen still says when it is ready
	"$SBX" eval --listen unix:s --jobs 1 "$c-i" 2>log 3>&- &
	background+=("$!")
	eventually test -S s
	python3 -c '
import json, socket
s = socket.socket(socket.AF_UNIX)
s.connect("s")
s.sendall(json.dumps({"id": "a", "code": "print(6 * 7)"}).encode() + b"\n")
assert json.loads(s.makefile().readline())["stdout"] == "42\n"'
	eventually grep -q "each request gets a container" log
	sbx rmi -f "$c-i" >/dev/null
}

@test "what a python that is not ours says when it is to be kept warm is no command to the terminal" {
	sbx run --name "$c" "$py" sh -c 'printf "#!/bin/sh\nprintf \"%%s\" \"r x\033[2J\" >&4; exec sleep 1000\n" >/evil; chmod 755 /evil'
	sbx commit "$c" "$c-i" >/dev/null
	ask 1 'print(1)'
	"$SBX" eval --jsonl -j 1 --python /evil "$c-i" <requests >answers 2>err 3>&- &
	background+=("$!")
	eventually grep -q 'cannot preload x\\x1b\[2J' err
	kill "$!"
	eventually gone "$!"
	sbx rmi -f "$c-i" >/dev/null
}

@test "a pool that more want than it has descriptors for goes on, and hears who waits when one is free" {
	(ulimit -n 256 && exec "$SBX" eval --listen unix:s --jobs 1 "$py" 2>log 3>&-) &
	pool=$!
	eventually test -S s
	coproc crowd { python3 -c '
import socket, sys
all = [socket.socket(socket.AF_UNIX) for _ in range(150)]
for one in all:
    one.connect("s")
print("there", flush=True)
sys.stdin.readline()'; }
	background+=("$!")
	read -rt 90 -u "${crowd[0]}"
	eventually grep -q '^State:.S' "/proc/$pool/status"
	echo >&"${crowd[1]}"
	python3 -c '
import json, socket
s = socket.socket(socket.AF_UNIX)
s.connect("s")
s.sendall(json.dumps({"id": "a", "code": "print(6 * 7)"}).encode() + b"\n")
assert json.loads(s.makefile().readline())["stdout"] == "42\n"'
}
