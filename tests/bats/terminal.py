#!/usr/bin/env python3
"""terminal.py [--size ROWSxCOLS] STEP... -- COMMAND...: runs COMMAND on a terminal of its own.

Steps, in order: expect:TEXT waits until TEXT has appeared since the last expect; send:TEXT types
(\\n, \\x03 are understood); size:ROWSxCOLS resizes; raw and cooked assert what the terminal is
in; kill:SIGNAL sends to COMMAND; run:LINE has a shell do something meanwhile. Prints everything that appeared and ends
as COMMAND did (128 + n for a signal); 99 when a step failed.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

LIMIT = 90


class Terminal:
    def __init__(self, size, command):
        self.master, self.slave = pty.openpty()
        self.resize(size)
        self.before = termios.tcgetattr(self.slave)
        self.seen, self.mark = b"", 0

        def own():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.child = subprocess.Popen(command, stdin=self.slave, stdout=self.slave,
                                      stderr=self.slave, preexec_fn=own, close_fds=True)

    def resize(self, size):
        rows, columns = map(int, size.split("x"))
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def pump(self, seconds):
        """Reads what comes within the time; False if nothing did."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            self.seen += os.read(self.master, 65536)
        except OSError:
            return False
        return True

    def until(self, what, fact):
        end = time.monotonic() + LIMIT
        while not fact():
            if time.monotonic() > end:
                self.fail(what)
            self.pump(0.02)

    def expect(self, text):
        def there():
            at = self.seen.find(text, self.mark)
            if at < 0:
                return False
            self.mark = at + len(text)
            return True
        self.until("expect %r" % text, there)

    def is_raw(self):
        return not termios.tcgetattr(self.slave)[3] & (termios.ICANON | termios.ECHO | termios.ISIG)

    def fail(self, what):
        sys.stdout.buffer.write(self.seen)
        print("\n[%s did not come true]" % what)
        self.child.kill()
        sys.exit(99)

    def end(self):
        """Waits for the command's end, checks that the terminal's settings are unchanged, and returns the status."""
        self.until("end", lambda: self.child.poll() is not None)
        while self.pump(0.05):
            pass
        if termios.tcgetattr(self.slave) != self.before:
            self.fail("terminal restored")
        return self.child.returncode


def main():
    at = sys.argv.index("--")
    steps, command, size = sys.argv[1:at], sys.argv[at + 1:], "24x80"
    if steps and steps[0] == "--size":
        size, steps = steps[1], steps[2:]
    t = Terminal(size, command)
    for step in steps:
        word, _, value = step.partition(":")
        text = codecs.decode(value, "unicode_escape").encode("latin-1")
        if word == "expect":
            t.expect(text)
        elif word == "send":
            os.write(t.master, text)
        elif word == "size":
            t.resize(value)
        elif word == "raw":
            t.until("raw", t.is_raw)
        elif word == "cooked":
            t.until("cooked", lambda: termios.tcgetattr(t.slave) == t.before)
        elif word == "kill":
            t.child.send_signal(getattr(signal, "SIG" + value))
        elif word == "run":
            subprocess.run(value, shell=True, check=True, stdin=subprocess.DEVNULL)
        else:
            sys.exit("no such step: " + step)
    status = t.end()
    sys.stdout.buffer.write(re.sub(rb"\r+\n", b"\n", t.seen))
    return 128 - status if status < 0 else status


if __name__ == "__main__":
    sys.exit(main())
