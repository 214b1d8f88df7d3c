# The warm python of a pool: imports, and then forks a child for each cell that the keeper has made
# (lib/keeper.h). It runs no code of a stranger's; the child gives everything up before it is told what to run.
import atexit
import ctypes
import gc
import marshal
import os
import resource
import select
import signal
import socket
import struct
import sys
import types

ASK, TELL, PROGRAM, RUNNER, SELF, ISOLATE = 3, 4, 5, 6, 7, 8
NEWPID = 0x20000000


def must(result):
    if result < 0:
        errno = ctypes.get_errno()
        raise OSError(errno, os.strerror(errno))
    return result


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


class Ask(ctypes.Structure):
    """struct isolate_ask of isolate.c."""
    _fields_ = [("pidfd", ctypes.c_int), ("streams", ctypes.c_int * 3), ("to", ctypes.c_int * 3),
                ("pids", ctypes.c_int), ("workdir", ctypes.c_char_p), ("program", Filter)]


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


def run():
    """What is asked for over the channel; the exit code."""
    room, size = struct.unpack("<QI", runner.read(12))
    resource.setrlimit(resource.RLIMIT_DATA, (base + room, base + room))
    for name in "stdout", "stderr":
        getattr(sys, name).reconfigure(line_buffering=True)
    if "numpy.random" in sys.modules:
        runner.seed_numpy(None)  # as python has done with its own when it forked
    try:
        return runner.run(marshal.loads(runner.read(size)))
    except SystemExit as e:  # of a process that the code has forked
        return e.code if isinstance(e.code, int) else 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1


def refuse(why):
    """It cannot be isolated here, and will run nothing."""
    frame = b"X" + struct.pack("<I", len(why)) + why.encode()
    for fd in runner.CHANNEL, ask.streams[0]:  # how far it came is not known
        try:
            os.write(fd, frame)
            return
        except OSError:
            pass


def child():
    status = 125
    try:
        # From here on it is in its cell and can do no more than what it will run.
        if isolate(ctypes.byref(ask)) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            status = run()
            # As python itself ends, but for the memory of the template: to take that apart is of no use.
            atexit._run_exitfuncs()
            runner.flush()
        else:
            refuse(os.strerror(ctypes.get_errno()))
    finally:
        os._exit(status & 255)


def reap(children):
    while children:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if not pid:
            return
        number = children.pop(pid, None)
        if number is not None:
            os.write(TELL, b"e %d %d %d %d %d" % (
                number, status, usage.ru_utime * 1e6, usage.ru_stime * 1e6, usage.ru_maxrss))


def data_size():
    """What the limit of data counts and a child has from the start."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[5]) * resource.getpagesize()


def fork(message, descriptors, children):
    number, = struct.unpack_from("=I", message, 4)
    ask.pidfd = descriptors[0]
    ask.streams[:] = descriptors[1:]
    try:
        must(libc.setns(ask.pidfd, NEWPID))
        pid = os.fork()
        if pid == 0:
            child()
        children[pid] = number
    except OSError as e:  # its pid 1 was killed, or there is no room for one more: it will run nothing
        refuse(e.strerror)
        os.write(TELL, b"e %d %d 0 0 0" % (number, 125 << 8))
    must(libc.setns(own, NEWPID))
    for fd in descriptors:
        os.close(fd)


def serve():
    children = {}
    asked = socket.socket(fileno=ASK)
    wake_r, wake_w = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_w, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    ready = select.poll()
    ready.register(ASK, select.POLLIN)
    ready.register(wake_r, select.POLLIN)
    while True:
        for fd, _ in ready.poll():
            if fd == wake_r:
                os.read(wake_r, 512)
                reap(children)
                continue
            message, fds, _, _ = asked.recvmsg(64, socket.CMSG_SPACE(16))
            if not message:
                os._exit(0)
            fork(message, struct.unpack("=4i", fds[0][2]), children)


libc = ctypes.CDLL(None, use_errno=True)
isolate = ctypes.PyDLL("/proc/self/fd/%d" % ISOLATE, use_errno=True).isolate
os.close(ISOLATE)
os.close(SELF)
runner = make_runner()
code = read_all(PROGRAM)
ask = Ask(to=(runner.CHANNEL, 1, 2), pids=int(sys.argv[1]), workdir=runner.WORK.encode(),
          program=Filter(len(code) // 8, code))
failed = preload(sys.argv[2:])
own = os.open("/proc/self/ns/pid", os.O_RDONLY)
del sys.argv[:]
preload(["json", "pickle"])  # for variables and states; a snippet has them for nothing, too
gc.collect()
gc.freeze()
base = data_size()
os.write(TELL, b"r " + "\n".join(failed).encode("utf-8", "replace")[:3000])
try:
    serve()
finally:
    os._exit(1)  # not by a traceback: the file which it would read is a descriptor that means something else now
