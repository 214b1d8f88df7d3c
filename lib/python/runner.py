# Runs one snippet: sent over the channel (descriptor 0), as lib/eval_wire.h has it. Every import is time that
# each request pays, so there is none here that python has not made itself by now.
import builtins
import posix
import sys

CHANNEL = 250  # out of the way of what a program counts on; closed on exec
WORK = "/work"
MAIN = WORK + "/main.py"

# Whatever a snippet makes of the builtins, what runs after it has them as they were.
globals().update({k: v for k, v in vars(builtins).items() if k[0] != "_"})
_write, _getpid, _import = posix.write, posix.getpid, builtins.__import__


def say(kind, content=b""):
    if isinstance(content, str):
        content = content.encode("utf-8", "replace")
    data = memoryview(kind + len(content).to_bytes(4, "little") + content)
    while data:
        data = data[_write(CHANNEL, data):]


def read(n):
    data = b""
    while len(data) < n:
        more = posix.read(CHANNEL, min(n - len(data), 1 << 20))
        if not more:
            posix._exit(125)
        data = data + more if data else more
    return data


# ---- before ----------------------------------------------------------------------------------

def put(path, data):
    fd = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC | posix.O_CLOEXEC, 0o644)
    data = memoryview(data)
    while data:
        data = data[posix.write(fd, data):]
    posix.close(fd)


def put_files(files):
    for name, data in files.items():
        at = name.find("/")
        while at > 0:
            try:
                posix.mkdir(WORK + "/" + name[:at])
            except FileExistsError:
                pass
            at = name.find("/", at + 1)
        put(WORK + "/" + name, data)


def set_stdin(data):
    if data is None:
        fd = posix.open("/dev/null", posix.O_RDONLY)
    else:
        put(WORK + "/.stdin", data)
        fd = posix.open(WORK + "/.stdin", posix.O_RDONLY)
        posix.unlink(WORK + "/.stdin")
    if fd != 0:
        posix.dup2(fd, 0)
        posix.close(fd)


class Late:
    """Finds nothing: starts `site` when a module is wanted that is not python's own."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None and Late in sys.meta_path:
            sys.meta_path.remove(Late)
            late_site()
            for finder in sys.meta_path:
                spec = finder.find_spec(name, None, target)
                if spec:
                    return spec
        return None


def late_site():
    import site
    site.main()


class Quit:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "Use %s() or Ctrl-D (i.e. EOF) to exit" % self.name

    def __call__(self, code=None):
        raise SystemExit(code)


def guard_imports(request):
    """A convenience and no fence: looks at import statements of the code itself."""
    allow, deny, seed = request.get("allow_import"), request.get("deny_import"), request.get("seed")

    def listed(name, names):
        return any(name == n or name.startswith(n + ".") or n.startswith(name + ".") for n in names)

    def checked(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and globals is not None and globals.get("__name__") == "__main__":
            full = [name] + [name + "." + f for f in fromlist or () if isinstance(f, str)]
            if allow is not None and not listed(name, allow):
                raise ImportError("import of %s is not allowed here" % name, name=name)
            for one in full:
                if deny and any(one == n or one.startswith(n + ".") for n in deny):
                    raise ImportError("import of %s is not allowed here" % one, name=one)
        fresh = seed is not None and "numpy" not in sys.modules
        module = _import(name, globals, locals, fromlist, level)
        if fresh and "numpy.random" in sys.modules:
            seed_numpy(seed)
        return module

    builtins.__import__ = checked


def seed_numpy(seed):
    try:
        sys.modules["numpy"].random.seed(None if seed is None else seed % 2**32)
    except Exception:
        pass  # half imported, or not the numpy that we know


def set_seed(seed):
    if "numpy" in sys.modules:
        seed_numpy(seed)
    if seed is not None:
        import random
        random.seed(seed)


# ---- the code --------------------------------------------------------------------------------

def line_of(error, tb):
    if isinstance(error, SyntaxError) and error.filename == MAIN:
        return error.lineno or 0
    line = 0
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == MAIN:
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


class Text:
    """Standard error, for as long as python prints a traceback into it."""
    encoding, errors = "utf-8", "backslashreplace"

    def __init__(self):
        self.parts = []

    def write(self, s):
        self.parts.append(s)
        return len(s)

    def flush(self):
        pass


def show(kind, error, tb):
    real, text = sys.stderr, Text()
    sys.stderr = text
    try:
        sys.__excepthook__(kind, error, tb)
    finally:
        sys.stderr = real
    text = "".join(text.parts)
    if sys.excepthook is sys.__excepthook__:
        if real is not None:
            real.write(text)
    else:
        sys.excepthook(kind, error, tb)
    return text


def tell_error(error):
    kind, tb = type(error), error.__traceback__
    if isinstance(error, MemoryError):
        say(b"M")
    say(b"e", kind.__name__)
    try:
        say(b"m", str(error))
    except BaseException:
        say(b"m", "<the exception cannot be printed>")
    while tb is not None and tb.tb_frame.f_code.co_filename == "<sbx>":
        tb = tb.tb_next
    say(b"n", str(line_of(error, tb)))
    try:
        say(b"t", show(kind, error.with_traceback(tb), tb))
    except BaseException:
        pass  # no memory for it, or a hook that fails


def exit_code(error):
    """What python makes of a SystemExit."""
    code = error.code
    if code is None:
        return 0
    if not isinstance(code, int):
        try:
            print(code, file=sys.stderr)
        except Exception:
            pass
        code = 1
    if code:
        say(b"e", type(error).__name__)
        say(b"m", str(error))
    return code & 255


def run_code(request, space, me):
    try:
        code = compile(request["code"], MAIN, "exec", 0, True)
        exec(code, space)
    except BaseException as e:
        if _getpid() != me:  # a child that the code has forked: only its parent answers
            raise
        if isinstance(e, SystemExit):
            return exit_code(e)
        tell_error(e)
        return 1
    return 0


# ---- after -----------------------------------------------------------------------------------

def wait_for_threads():
    threading = sys.modules.get("threading")
    if threading is not None:
        threading._shutdown()


def flush():
    for name in "stdout", "stderr":
        stream = getattr(sys, name, None)
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:
            setattr(sys, name, None)  # closed below python: nobody is to be told again


def tell_figures():
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return
    import io
    for number in plt.get_fignums():
        png = io.BytesIO()
        plt.figure(number).savefig(png, format="png")
        say(b"g", png.getvalue())


def plain(value, deep=50):
    """What of it JSON can say; the rest as python prints it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -2**63 <= value < 2**63 else str(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if deep and isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v, deep - 1) for v in value]
    if deep and isinstance(value, dict):
        return {plain(str(k)): plain(v, deep - 1) for k, v in value.items()}
    if deep and hasattr(value, "tolist"):
        return plain(value.tolist(), deep - 1)
    return plain(repr(value))


def tell_vars(wanted, space):
    import json
    if wanted is True:
        module = type(sys)
        wanted = [k for k, v in space.items()
                  if isinstance(k, str) and k[:1] != "_" and not isinstance(v, (module, type)) and not callable(v)]
    found = {}
    for name in wanted:
        if name in space:
            try:
                found[name] = plain(space[name])
            except Exception:
                found[name] = "<cannot be shown>"
    say(b"v", json.dumps(found))


def tell_files(globs):
    import gc
    import glob
    import io
    import os
    for o in gc.get_objects():
        if isinstance(o, io.IOBase) and not o.closed:
            try:
                o.flush()
            except Exception:
                pass
    left, seen = 32 << 20, set()
    os.chdir(WORK)
    for pattern in globs:
        for name in sorted(glob.glob(pattern, recursive=True)):
            path = os.path.normpath(name)
            if path in seen or path.startswith(("/", "../")) or path == "main.py" \
                    or not os.path.isfile(path):
                continue
            seen.add(path)
            if os.path.getsize(path) > left:
                say(b"i")
                continue
            with open(path, "rb") as f:
                data = f.read(left)
            left -= len(data)
            say(b"f", os.fsencode(path) + b"\0" + data)


def attempt(what, *args):
    try:
        what(*args)
    except BaseException as e:
        tell_error(e)
        return 1
    return 0


def run(request):
    """Runs it in this process; how python is to end."""
    me = _getpid()
    posix.chdir(WORK)
    code = request["code"]
    put(MAIN, code.encode("utf-8", "surrogateescape") if isinstance(code, str) else code)
    put_files(request.get("files") or {})
    set_stdin(request.get("stdin"))
    space = type(sys)("__main__")
    sys.modules["__main__"] = space
    space = space.__dict__
    space.update(__file__=MAIN, __builtins__=builtins)
    space.update(request.get("vars") or {})
    sys.argv = [MAIN]
    sys.path.insert(0, WORK)
    set_seed(request.get("seed"))
    if request.keys() & {"allow_import", "deny_import", "seed"}:
        guard_imports(request)
    status = run_code(request, space, me)
    if _getpid() != me:
        return status  # a child that the code has forked, and that came to the end of it as well
    flush()
    failed = attempt(wait_for_threads)
    if request.get("figures"):
        failed |= attempt(tell_figures)
    if request.get("return_vars"):
        failed |= attempt(tell_vars, request["return_vars"], space)
    if request.get("collect"):
        failed |= attempt(tell_files, request["collect"])
    flush()
    say(b"d")
    return status or failed


def cold():
    import marshal
    posix.dup2(0, CHANNEL, False)
    request = marshal.loads(read(int.from_bytes(read(4), "little")))
    sys.meta_path.append(Late)
    builtins.exit, builtins.quit = Quit("exit"), Quit("quit")
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(line_buffering=True)
    sys.exit(run(request))
