# The warm python of a pool: imports, and then forks a child for each cell that the keeper has made
# (lib/keeper.h, isolate.h). It runs no code of a stranger's; the child gives everything up before it is told what to run.
import os

ASK, TELL, PROGRAM, RUNNER, SELF, ISOLATE = 3, 4, 5, 6, 7, 8
try:
    import atexit
    import ctypes
    import gc
    import marshal
    import resource
    import signal
    import struct
    import sys
    import types

    fork = ctypes.PyDLL("/proc/self/fd/%d" % ISOLATE).serve
except (ImportError, OSError) as e:  # a python of fewer parts, or one that loads nothing
    os.write(TELL, b"n " + str(e).encode("utf-8", "replace")[:200])
    os._exit(1)
OWN_MEMORY = 64 << 20  # bytes that each lane may have of its own


def read_all(fd):
    data = b""
    while True:
        more = os.pread(fd, 1 << 16, len(data))
        if not more:
            os.close(fd)
            return data
        data += more


class Filter(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("code", ctypes.c_char_p)]


class Range(ctypes.Structure):
    _fields_ = [("at", ctypes.c_ulong), ("len", ctypes.c_ulong)]


class Ask(ctypes.Structure):
    """struct isolate_ask of isolate.h."""
    _fields_ = [("channel", ctypes.c_int), ("pids", ctypes.c_int), ("workdir", ctypes.c_char_p),
                ("data", ctypes.c_ulong), ("program", Filter),
                ("n_hot", ctypes.c_long), ("hot", ctypes.POINTER(Range))]


def make_runner():
    """lib/python/runner.py, with names of its own that no snippet sees."""
    source = read_all(RUNNER)
    runner = types.ModuleType("sbx")
    exec(compile(source, "<sbx>", "exec"), runner.__dict__)
    return runner


def forget(package):
    """Half of a package would be in the way of who imports it once more."""
    for name in list(sys.modules):
        if name == package or name.startswith(package + "."):
            del sys.modules[name]


def preload(names):
    failed = []
    for name in names:
        try:
            __import__(name)
        except BaseException as e:
            failed.append("%s: %s: %s" % (name, type(e).__name__, e))
            forget(name.partition(".")[0])
    return failed


def run(size):
    """What is asked for over the channel; the exit code."""
    if "numpy.random" in sys.modules:
        runner.seed_numpy(None)  # as python has done with its own when it forked
    try:
        return runner.run(marshal.loads(runner.read(size)))
    except SystemExit as e:  # of a process that the code has forked
        return e.code if isinstance(e.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1


def child(size):
    status = 125
    try:
        status = run(size)
        # As python itself ends, but for the memory of the template: to take that apart is of no use.
        atexit._run_exitfuncs()
        runner.flush()
    finally:
        os._exit(status & 255)


def data_size():
    """What the limit of data counts and a child has from the start."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[5]) * resource.getpagesize()


def filters():
    """One for all, and what a child adds to it when it is isolated."""
    code = read_all(PROGRAM)
    n, m = (8 * n for n in struct.unpack_from("=2I", code))
    return Filter(n // 8, code[8:8 + n]), Filter(m // 8, code[8 + n:])


def bring_files_along():
    """A fork copies the page tables of what was written to, and of nothing else: each child would have to fault in
    python's own code again. So one page of each file is written to, with what stands there."""
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "r+b", buffering=0) as memory:
        for line in maps:
            where, rights, _, _, inode = line.split()[:5]
            if inode != "0" and rights[0] == "r" and rights[1:] in ("-xp", "--p"):
                at = int(where.partition("-")[0], 16)
                memory.seek(at)
                byte = memory.read(1)
                memory.seek(at)
                memory.write(byte)


PRESENT, ANONYMOUS, ALONE = 1 << 63, 1 << 61, 1 << 56  # of an entry of the pagemap; the second one turned round


def own_pages(which):
    """[address, bytes] of the memory of its own which is all of that. ALONE: nobody else maps it, so it was written to
    since this process was forked."""
    found, page = [], resource.getpagesize()
    with open("/proc/self/maps") as maps, open("/proc/self/pagemap", "rb", buffering=0) as pages:
        for line in maps.read().splitlines():
            if line.split()[1] != "rw-p" or line.endswith("[stack]"):
                continue
            begin, end = (int(x, 16) for x in line.split()[0].split("-"))
            pages.seek(begin // page * 8)
            for i, (entry,) in enumerate(struct.iter_unpack("=Q", pages.read((end - begin) // page * 8))):
                if (entry ^ ANONYMOUS) & which == which:
                    if found and sum(found[-1]) == begin + i * page:
                        found[-1][1] += page
                    else:
                        found.append([begin + i * page, page])
    return found


def mapped():
    """(begin, end) of what can be written to."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.split()[1] == "rw-p":
                begin, end = line.split()[0].split("-")
                yield int(begin, 16), int(end, 16)


def pin(found):
    """Pages that are pinned a fork copies at once: a third of what it takes when a child faults on each. What pins them
    is that a ring's buffers are registered; nothing is ever asked of that ring, and children close it."""
    params = (ctypes.c_char * 120)()  # struct io_uring_params
    ring = libc.syscall(ctypes.c_long(425), ctypes.c_uint(1), params)  # io_uring_setup
    if ring < 0:
        return False  # old or forbidden
    areas = list(mapped())  # a child had more
    here = [(at, size) for at, size in found if any(a <= at and at + size <= b for a, b in areas)]
    buffers = (Range * len(here))(*here)  # each a struct iovec
    if here and libc.syscall(ctypes.c_long(427), ctypes.c_uint(ring), ctypes.c_uint(0), buffers,
                             ctypes.c_uint(len(here))) == 0:
        return True
    os.close(ring)  # more than may be locked
    return False


# Some of what most programs do.
REHEARSAL = """
class One(Exception):
    def __init__(self, x: int = 1):
        self.x = x
def f(a, *b, c=None, **d):
    try:
        return sorted({k: [v, str(v), 0.5 * v] for k, v in enumerate(a)}.items(), key=lambda i: -i[0])
    except (ValueError, KeyError) as e:
        raise One() from e
assert f([1, 2]) and not "a b".split()[2:] and f"{1:>3}" == "  1"
print(sum(i * i for i in range(3)), ",".join(map(str, (1, 2))), {1} | {2}, One(2).x)
"""


def rehearse():
    """A first child runs next to nothing, and tells which pages every child writes to."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(0, runner.CHANNEL)
            runner.run({"code": REHEARSAL})
            found = own_pages(PRESENT | ALONE)
            with open(w, "wb") as f:
                f.write(marshal.dumps(found))
        finally:
            os._exit(0)
    os.close(w)
    with open(r, "rb") as f:
        said = f.read()
    os.waitpid(pid, 0)
    return marshal.loads(said) if said else []


def prepare(found):
    """So that children need not copy these pages one by one; (n_hot, hot) of those who will."""
    if pin(found):
        found = []
    return len(found), (Range * len(found))(*map(tuple, found))


def own_memory():
    """A fork counts the pages that it shares, and its end once more: of two lanes with the same ones each would wait
    for the other one's processor to let go of their counts. What is too much to have several times stays shared. (Of
    what files hold, copies of its own make a lane slower.)"""
    found = own_pages(PRESENT | ANONYMOUS)
    if sum(size for _, size in found) <= OWN_MEMORY:
        for at, size in found:  # MADV_POPULATE_WRITE; old kernels refuse
            libc.madvise(ctypes.c_ulong(at), ctypes.c_ulong(size), 23)


def lane(count):
    """(ask, tell) of this process, or of a fork of it: one for each lane but the first."""
    all_of = [(ASK, TELL)] + [(ISOLATE + 2 * i - 1, ISOLATE + 2 * i) for i in range(1, count)]
    own = all_of[0]
    for other in all_of[1:]:
        if os.fork() == 0:
            libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
            own = other
            own_memory()
            break
    for fds in all_of:
        if fds != own:
            os.close(fds[0])
            os.close(fds[1])
    return own


libc = ctypes.CDLL(None)
fork.restype = ctypes.c_long
os.close(ISOLATE)
os.close(SELF)
runner = make_runner()
runner.flush_c = libc.fflush
lanes = int(sys.argv[2])
failed = preload(sys.argv[3:])
first, last = filters()
ask = Ask(channel=runner.CHANNEL, pids=int(sys.argv[1]), workdir=runner.WORK.encode(),
          program=last)
del sys.argv[:]
preload(["json", "pickle"])  # for variables and states; a snippet has them for nothing, too
for stream in sys.stdout, sys.stderr:
    stream.reconfigure(line_buffering=True)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
try:
    bring_files_along()
except OSError:
    pass  # not on this kernel
gc.collect()
gc.freeze()
runner.settled = runner.older(gc)
found = rehearse()
gc.freeze()
ASK, TELL = lane(lanes)
ask.n_hot, ask.hot = prepare(found)
gc.freeze()
if libc.prctl(22, 2, ctypes.byref(first)) < 0:  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
    sys.exit(1)
ask.data = data_size()
os.write(TELL, b"r " + "\n".join(failed).encode("utf-8", "replace")[:3000])
try:
    child(fork(ctypes.byref(ask), ASK, TELL))
finally:
    os._exit(1)  # not by a traceback: the file which it would read is a descriptor that means something else now
