# SPDX-License-Identifier: Apache-2.0
"""enters.py PATH: enters each other mount namespace that this container's root has power over, and tells whether PATH is there."""
import ctypes
import fcntl
import os
import platform
import struct
import sys

NEXT, PREVIOUS = 0x8010B70B, 0x8010B70C  # NS_MNT_GET_NEXT, NS_MNT_GET_PREV
NAME_TO_HANDLE, OPEN_BY_HANDLE = {"x86_64": (303, 304), "aarch64": (264, 265)}[platform.machine()]
FOLLOW, NSFS, NEWNS = 0x400, -10003, 0x00020000
FIRST_INODE = 0xF0000000

libc = ctypes.CDLL(None, use_errno=True)


def by_list(own):
    """As the kernel lists them, up to Linux 6.17."""
    for step in NEXT, PREVIOUS:
        at = own
        try:
            while True:
                at = fcntl.ioctl(at, step, bytearray(16))
                yield at
        except FileNotFoundError:
            pass


def handle_of(name):
    handle, unused = bytearray(struct.pack("=Ii16x", 16, 0)), ctypes.c_int()
    there = (ctypes.c_char * len(handle)).from_buffer(handle)
    if libc.syscall(NAME_TO_HANDLE, -100, b"/proc/self/ns/" + name, there, ctypes.byref(unused), FOLLOW) < 0:
        raise OSError(ctypes.get_errno(), "name_to_handle_at")
    return struct.unpack("=IiQII", handle)


def by_guess():
    """By the handles that they would have: numbers are given in turn, the last one to the control groups of this command. It begins
    with its own."""
    size, kind, own_id, what, own_inode = handle_of(b"mnt")
    _, _, last_id, _, last_inode = handle_of(b"cgroup")
    inodes = range(FIRST_INODE, max(own_inode, last_inode) + 50)
    for number in [own_id, *range(max(own_id + 1, last_id - 60), last_id)]:
        for inode in [own_inode] if number == own_id else inodes:
            handle = struct.pack("=IiQII", size, kind, number, what, inode)
            at = libc.syscall(OPEN_BY_HANDLE, NSFS, handle, os.O_RDONLY)
            if at >= 0:
                yield at


def enter(at):
    if libc.setns(at, NEWNS) < 0:
        print("not entered:", os.strerror(ctypes.get_errno()))
    else:
        print("entered, and it is", "there" if os.path.lexists(sys.argv[1]) else "not there")


own = os.open("/proc/self/ns/mnt", os.O_RDONLY)
try:
    found = list(by_list(own))
except OSError:
    try:
        guessed = by_guess()
        next(guessed)
        found = list(guessed)
    except (OSError, StopIteration):
        sys.exit(print("cannot look"))
for one in found:
    if os.fork() == 0:
        enter(one)
        sys.exit()
    os.wait()
