# SPDX-License-Identifier: Apache-2.0
"""Mounts a FUSE of its own on /tmp and has a page fault on a file there wait for ever, with the lock of this process's memory
held. Children that share memory, and fault, have the watch walk over everybody's page tables meanwhile."""
import ctypes
import os
import struct
import threading

c = ctypes.CDLL(None, use_errno=True)
c.mmap.restype = ctypes.c_void_p
c.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
c.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
c.memcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


def attr(node):
    mode, size = (0o40755, 4096) if node == 1 else (0o100755, 1 << 20)
    return struct.pack("=6Q10I", node, size, 8, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def serve(fd):
    reads = 0
    while True:
        got = os.read(fd, 1 << 18)
        _, call, unique, node = struct.unpack_from("=IIQQ", got)
        error, body = 0, b""
        if call == 26:  # init
            body = struct.pack("=IIIIHHIIHH8I", 7, 31, 65536, 1, 0, 0, 65536, *[0] * 11)
        elif call == 3:  # getattr
            body = struct.pack("=QII", 1000, 0, 0) + attr(node)
        elif call == 1:  # lookup
            body = struct.pack("=4Q2I", 2, 0, 1000, 1000, 0, 0) + attr(2)
        elif call in (14, 27):  # open
            body = struct.pack("=QII", 1, 0, 0)
        elif call == 15:  # read: what was read ahead and the first fault fail, and the second one waits
            reads += 1
            if reads > 2:
                continue
            error = -5
        elif call in (2, 42):  # forget
            continue
        else:
            error = -38
        os.write(fd, struct.pack("=IiQ", 16 + len(body), error, unique) + body)


def fault(shared):
    while True:
        if os.fork() == 0:
            shared[0] = 1
            os._exit(0)
        os.wait()


def change_memory():
    while True:
        c.munmap(c.mmap(None, 4096, 1, 0x22, -1, 0), 4096)


fuse = os.open("/dev/fuse", os.O_RDWR)
if c.mount(b"x", b"/tmp", b"fuse", 6, b"fd=%d,rootmode=40000,user_id=0,group_id=0" % fuse):
    raise OSError(ctypes.get_errno(), "mount")
if os.fork() == 0:
    serve(fuse)
os.close(fuse)
file = os.open("/tmp/f", os.O_RDONLY)
at = c.mmap(None, 1 << 20, 1, 1, file, 0)
to = ctypes.create_string_buffer(1)
shared = bytearray(b"x") * (50 << 20)
for _ in range(3):
    if os.fork() == 0:
        fault(shared)
threading.Thread(target=change_memory).start()
c.memcpy(to, at, 1)
