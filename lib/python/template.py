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

ASK, TELL, PROGRAM, RUNNER, SELF = 3, 4, 5, 6, 7
NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 24, 22, 38
CLOSE_RANGE = 436  # the same number on every machine

libc = ctypes.CDLL(None, use_errno=True)


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


def make_runner():
    """lib/python/runner.py, with names of its own that no snippet sees."""
    source = read_all(RUNNER)
    runner = types.ModuleType("sbx")
    exec(compile(source, "<sbx>", "exec"), runner.__dict__)
    return runner


def preload(names):
    failed = []
    for name in names:
        try:
            __import__(name)
        except BaseException as e:
            failed.append("%s: %s: %s" % (name, type(e).__name__, e))
    return failed


def drop_rights():
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for cap in range(caps):
        must(libc.prctl(PR_CAPBSET_DROP, cap, 0, 0, 0))
    head = (ctypes.c_uint32 * 2)(0x20080522, 0)
    must(libc.capset(head, (ctypes.c_uint32 * 6)()))
    if program.len:
        must(libc.prctl(PR_SET_SECCOMP, 2, ctypes.byref(program), 0, 0))


def isolate(pidfd, streams):
    """In the child: from here on it is in its cell and can do no more than what it will run."""
    must(libc.setns(pidfd, NEWUSER | NEWNS | NEWIPC | NEWUTS | NEWNET))
    for fd, to in zip(streams, (runner.CHANNEL, 1, 2)):
        os.dup2(fd, to, to < 3)
    libc.syscall(CLOSE_RANGE, 3, runner.CHANNEL - 1, 0)
    libc.syscall(CLOSE_RANGE, runner.CHANNEL + 1, 0x7fffffff, 0)
    os.chdir(runner.WORK)
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (pids, pids))
    drop_rights()


def child(pidfd, streams):
    status = 125
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        isolate(pidfd, streams)
        room, size = struct.unpack("<QI", runner.read(12))
        resource.setrlimit(resource.RLIMIT_DATA, (base + room, base + room))
        for name in "stdout", "stderr":
            getattr(sys, name).reconfigure(line_buffering=True)
        status = runner.run(marshal.loads(runner.read(size)))
        # As python itself ends, but for the memory of the template: to take that apart is of no use.
        atexit._run_exitfuncs()
        runner.flush()
    finally:
        os._exit(status)


def count_caps():
    n = 0
    while libc.prctl(23, n, 0, 0, 0) >= 0:  # PR_CAPBSET_READ
        n += 1
    return n


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
    pidfd, *streams = descriptors
    must(libc.setns(pidfd, NEWPID))
    pid = os.fork()
    if pid == 0:
        child(pidfd, streams)
    children[pid] = number
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


code = read_all(PROGRAM)
program = Filter(len(code) // 8, code)
pids = int(sys.argv[1])
runner = make_runner()
os.close(SELF)
failed = preload(sys.argv[2:])
caps = count_caps()
own = os.open("/proc/self/ns/pid", os.O_RDONLY)
del sys.argv[:]
gc.collect()
gc.freeze()
base = data_size()
os.write(TELL, b"r " + "\n".join(failed).encode("utf-8", "replace")[:3000])
serve()
