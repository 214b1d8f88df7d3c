# Runs one snippet; how it is asked and answers stands in lib/eval_wire.h. Each line here, and each import, is time
# that every request pays: what only some of them need is in more.py, which comes along as text.
import builtins
import posix
import sys

# out of the way of what a program counts on, below its limit (-1: none); closed on exec
CHANNEL = builtins.min(250, posix.sysconf("SC_OPEN_MAX") - 1) % 251
WORK = "/work"
MAIN = WORK + "/main.py"

# Whatever a snippet makes of the builtins, what runs after it has them as they were.
globals().update([i for i in vars(builtins).items() if i[0][0] != "_"])
write, getpid, import_ = posix.write, posix.getpid, builtins.__import__
settrace, setprofile = sys.settrace, sys.setprofile
source = None  # of more.py, until it is wanted
flush_c = None  # flushes the files of C, where somebody knew before
settled = -1  # how often older things were looked at when the code began
spare = bytes(1 << 20)  # room to tell of a MemoryError


def say(kind, content=b""):
    if isinstance(content, str):
        content = content.encode("utf-8", "replace")
    data = memoryview(kind + len(content).to_bytes(4, "little") + content)
    try:
        while data:
            data = data[write(CHANNEL, data):]
    except OSError:
        pass  # closed by the code, which has no success then


def read(n):
    data = []
    while n > 0:
        data.append(posix.read(CHANNEL, min(n, 1 << 20)) or posix._exit(125))
        n -= len(data[-1])
    return b"".join(data)


def read_sized():
    return read(int.from_bytes(read(4), "little"))


def more(name):
    global source
    if source:
        code, source = compile(source, "<sbx>", "exec"), None
        exec(code, globals())
    return globals()[name]


class Late:
    """Finds nothing: starts `site`, which we go without, when a module is wanted that is not python's own."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return more("late_site")(name, target) if path is None else None


class Early:
    """The same for those which look into its directories themselves."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        return more("late_site")(None, None) if name in ("importlib.metadata", "pkgutil") else None


class Quit:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "Use %s() or Ctrl-D (i.e. EOF) to exit" % self.name

    def __call__(self, code=None):
        raise SystemExit(code)


def put(path, data):
    fd = posix.open(path, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o644)
    data = memoryview(data)
    while data:
        data = data[write(fd, data):]
    posix.close(fd)


def run_code(code, space, me):
    global spare
    error = None
    try:
        exec(compile(code, MAIN, "exec", 0, True), space)
    except BaseException as e:
        error = e
    try:
        setprofile(None)  # what the code watches its functions with is not to watch ours
    except BaseException:
        pass
    settrace(None)
    if error is None:
        return 0
    spare = None
    try:
        return tell_end(error, me)
    finally:
        del error


def tell_end(e, me):
    """The exit code of what an exception has ended."""
    if getpid() != me:  # a child that the code has forked: only its parent answers
        return more("child_status")(e)
    if isinstance(e, MemoryError):
        say(b"M")
    if isinstance(e, SystemExit):
        return 0 if e.code in (None, 0) else more("exit_code")(e)
    say(b"e", type(e).__name__)
    return attempt(more, "tell_error") or attempt(tell_error, e) or (130 if isinstance(e, KeyboardInterrupt) else 1)


def attempt(what, *args):
    try:
        what(*args)
    except BaseException as e:
        say(b"e", type(e).__name__)
        return 1
    return 0


def flush():
    for name in "stdout", "stderr", "__stdout__", "__stderr__":
        stream = getattr(sys, name, None)
        try:
            if stream is not None and not getattr(stream, "closed", False):
                stream.flush()
        except BaseException:
            setattr(sys, name, None)  # closed below python: nobody is to be told again


def older(gc):
    return sum(g["collections"] for g in gc.get_stats()[1:])


def collect(gc):
    """All that is new is in the first two generations unless these were collected. To look at the third one as well
    means to give back all free lists, and these are in pages that are shared with who forked us."""
    gc.collect(1 if older(gc) == settled and sys.version_info < (3, 13) else 2)


def finish(space):
    """What of python's own end somebody can see; to take all of it apart takes longer than to start it."""
    try:
        import atexit
        import gc
        atexit._run_exitfuncs()
        for name in space:
            if name != "__builtins__":
                space[name] = None
        collect(gc)
        if flush_c:
            flush_c(None)
        elif "ctypes" in sys.modules:
            sys.modules["ctypes"].CDLL(None).fflush(None)
    except BaseException:
        pass  # python itself would say it and go on
    flush()


def run(request):
    """Runs it in this process; with what exit code python is to end."""
    me, code = getpid(), request["code"]
    put(MAIN, code.encode("utf-8", "surrogateescape") if isinstance(code, str) else code)
    module = type(sys)("__main__")
    sys.modules["__main__"], space = module, module.__dict__
    space.update(__file__=MAIN, __builtins__=builtins)
    sys.argv = [MAIN]
    sys.path.insert(0, WORK)
    status = more("told")(more("prepare"), request, space) if len(request) > 1 else 0
    status = status or run_code(code, space, me)
    if getpid() == me:
        flush()
        if "threading" in sys.modules:
            status |= attempt(sys.modules["threading"]._shutdown)
        if len(request) > 1:
            status |= more("answer")(request, space)
        flush()
        say(b"d")
    finish(space)
    return status


def cold():
    import gc
    import marshal
    global source, settled
    posix.dup2(0, CHANNEL, False)
    stdin = posix.open("/dev/null", posix.O_RDONLY)
    posix.dup2(stdin, 0)
    posix.close(stdin)
    posix.chdir(WORK)
    source = read_sized()
    request = marshal.loads(read_sized())
    sys.meta_path.insert(0, Early)
    sys.meta_path.append(Late)
    builtins.exit, builtins.quit = Quit("exit"), Quit("quit")
    for stream in sys.stdout, sys.stderr:
        stream.reconfigure(line_buffering=True)
    gc.freeze()  # what is here by now need not be looked at in the end
    settled = older(gc)
    posix._exit(run(request))
