# SPDX-License-Identifier: Apache-2.0
"""Runs python code that nobody vouches for, each snippet in a container of its own.

    from sbx import execute_code

    r = execute_code("print(6 * 7)")          # r.success, r.stdout == "42\\n"
    r = execute_code("while True: pass", timeout=1)            # r.timeout
    r = execute_code("x = ' ' * 10**9")                        # r.memory_exceeded

`execute_code` is one call; `Pool` runs many at once, from threads, from asyncio tasks or as a map;
`Sandbox` and `Executor` (asyncio) carry variables from one snippet to the next. All of them talk to
one child process, `sbx eval --jsonl`, which is started with the first call, kept between calls,
replaced when it dies, and ended with this process. No snippet sees the network, the files, the
processes or the environment of this machine, nor another snippet.

One file, the standard library only, python 3.8 and later: install it, or copy it beside your code.

**Found by** the argument `sbx=`, $SBX, or `sbx` in PATH; the image by `image=`, $SBX_EVAL_IMAGE, or the
name `python` in the store (`sbx import python.sqsh python`; a path to a .sqsh does as well).

**What the child process complains about**, a module that cannot be preloaded for instance, goes to the logger
`sbx`.

**Run once, or once more.** When the child process dies, requests that it had taken and not answered are
given to the next one: a snippet may then run a second time. As it can change nothing outside of its
container, and a container is never used twice, that shows only in its time. A request that five child
processes died of fails with `SbxError`; from the second time on it runs with no other beside it, so that
it takes none with it.

**fork.** After os.fork() (multiprocessing too) the parent goes on with its child process and its
futures; the forked one starts a child process of its own with its first call. Futures from before the
fork are never finished there.
"""
from __future__ import annotations

import asyncio
import atexit
import base64
import itertools
import json
import logging
import os
import select
import shutil
import socket
import subprocess
import threading
import time
import weakref
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import (Any, AsyncIterator, Callable, Deque, Dict, Iterable, Iterator, List, Mapping, Optional,
                    Sequence, Set, Tuple, Union)

__all__ = ["ExecutionResult", "Executor", "Pool", "Sandbox", "SbxError", "execute_code"]

DEFAULT_TIMEOUT = 5.0
DEFAULT_MEMORY = 256 * 1024 * 1024
DEFAULT_IMAGE = "python"


class SbxError(RuntimeError):
    """The sandbox itself failed: no program, no image, a child process that keeps dying. What a snippet
    does, however bad, is never this: it is an `ExecutionResult`."""


# --- what comes back -----------------------------------------------------------------------------

@dataclass(frozen=True)
class ExecutionResult:
    """How a snippet ended. `error` is None after a success, else one line such as
    "ZeroDivisionError: division by zero". `answer` is all that was measured, as man sbx-eval has it."""

    success: bool
    stdout: str = ""
    stderr: str = ""
    error: Optional[str] = None
    timeout: bool = False
    memory_exceeded: bool = False
    answer: Dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def error_type(self) -> Optional[str]:
        """The exception's class, when one ended the snippet."""
        error = self.answer.get("error")
        return error.get("type") if isinstance(error, dict) else None

    @property
    def error_line(self) -> Optional[int]:
        """The line of the snippet that raised it."""
        error = self.answer.get("error")
        return error.get("line") if isinstance(error, dict) else None

    @property
    def traceback(self) -> Optional[str]:
        """As python prints it."""
        error = self.answer.get("error")
        return error.get("traceback") if isinstance(error, dict) else None

    @property
    def exit_code(self) -> Optional[int]:
        """128+n for signal n, as shells have it."""
        return self.answer.get("exit_code")

    @property
    def reason(self) -> str:
        """exited, signalled, timeout, oom, pids, killed-by-user or setup-error."""
        return str(self.answer.get("reason", "setup-error"))

    @property
    def wall(self) -> float:
        """Seconds by the clock."""
        return float(self.answer.get("wall") or 0)

    @property
    def cpu(self) -> float:
        """Seconds of processor time, the system's part included."""
        return float(self.answer.get("user") or 0) + float(self.answer.get("system") or 0)

    @property
    def peak_memory(self) -> int:
        """Bytes."""
        return int(self.answer.get("peak_memory") or 0)

    @property
    def truncated(self) -> bool:
        """Whether output was cut."""
        cut = self.answer.get("truncated")
        return any(cut.values()) if isinstance(cut, dict) else bool(cut)

    @property
    def figures(self) -> List[str]:
        """The figures left open in matplotlib, PNG in base64; asked for by figures=True."""
        return list(self.answer.get("figures") or [])

    @property
    def variables(self) -> Dict[str, Any]:
        """Asked for by return_variables."""
        return dict(self.answer.get("vars") or {})

    @property
    def files(self) -> Dict[str, bytes]:
        """Asked for by collect."""
        return {name: _file_in(data) for name, data in (self.answer.get("files") or {}).items()}


_REASONS = {
    "timeout": "timed out", "cpu-time": "used up its processor time", "oom": "used up its memory",
    "pids": "had too many processes", "output-limit": "printed too much", "setup-error": "could not be run",
    "client-gone": "was abandoned",
}


def _result(answer: Dict[str, Any]) -> ExecutionResult:
    success = bool(answer.get("success"))
    error = answer.get("error")
    if isinstance(error, dict):
        parts = [str(error[k]) for k in ("type", "message") if error.get(k)]
        text: Optional[str] = ": ".join(parts) or "failed"
    elif success:
        text = None
    elif answer.get("timeout"):
        text = _REASONS["timeout"]
    elif answer.get("memory_exceeded"):
        text = _REASONS["oom"]
    elif answer.get("signal"):
        text = "killed by signal %s" % answer["signal"]
    else:
        text = _REASONS.get(str(answer.get("reason"))) or "exit status %s" % answer.get("exit_code")
    return ExecutionResult(success, str(answer.get("stdout") or ""), str(answer.get("stderr") or ""), text,
                           bool(answer.get("timeout")), bool(answer.get("memory_exceeded")), answer)


def _file_in(data: Any) -> bytes:
    return base64.b64decode(data["base64"]) if isinstance(data, dict) else str(data).encode()


def _file_out(data: Union[str, bytes]) -> Any:
    return data if isinstance(data, str) else {"base64": base64.b64encode(data).decode()}


def _unrunnable(code: str) -> Optional[ExecutionResult]:
    """What no file of python can hold, in python's own words, without asking anybody."""
    try:
        code.encode()
        return None
    except UnicodeEncodeError as e:
        return _result({"success": False, "exit_code": 1, "reason": "exited",
                        "error": {"type": "UnicodeEncodeError", "message": str(e), "line": None, "traceback": None}})


# --- the child process ---------------------------------------------------------------------------

# While a child process is being started its pipes are nobody's yet: no fork may come in between, or
# the forked process would hold them open for good.
_starting = threading.Lock()
_log = logging.getLogger("sbx")  # what the child process complains about


class _Child:
    """A running `sbx eval --jsonl`: `to` takes lines without blocking, `out` gives them, `err` complains."""

    def __init__(self, argv: Sequence[str]) -> None:
        try:
            self.process = subprocess.Popen(argv, bufsize=0, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE, start_new_session=True)
        except OSError as e:
            raise SbxError("%s: %s" % (argv[0], e.strerror)) from e
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.files = (self.process.stdin, self.process.stdout, self.process.stderr)
        self.to, self.out, self.err = (f.fileno() for f in self.files)
        for fd in (self.to, self.out):
            os.set_blocking(fd, False)
        self.said = b""      # the end of what it complained
        self.answered = False

    def hear(self) -> None:
        self.said = (self.said + os.read(self.err, 4096))[-2000:]

    def tell(self) -> None:
        """What it complained about while it went on; its last words are in an exception."""
        for line in self.said.decode(errors="replace").splitlines():
            _log.warning("%s", line)
        self.said = b""

    def end(self, seconds: float) -> int:
        """Lets it end, or makes it; its exit status."""
        self.process.stdin and self.process.stdin.close()
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = self.process.wait()
        os.set_blocking(self.err, False)  # what it started may hold it open
        try:
            self.hear()
        except OSError:
            pass
        for f in self.files:
            f.close()
        return status

    def forget(self) -> None:
        """In a forked process: the child is the parent's."""
        self.process.returncode = 0
        for f in self.files:
            f.close()


class _Connection:
    """The same with a server that listens (`sbx eval --listen unix:PATH`)."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.connect(path)
        except OSError as e:
            self.socket.close()
            raise SbxError("%s: %s" % (path, e.strerror)) from e
        self.socket.setblocking(False)
        self.to = self.out = self.socket.fileno()
        self.err = -1
        self.said = b""
        self.answered = False

    def hear(self) -> None:
        pass

    def tell(self) -> None:
        pass

    def end(self, seconds: float) -> int:
        self.socket.close()
        return -1

    def forget(self) -> None:
        self.socket.close()


class _Job:
    __slots__ = ("number", "line", "future", "allowed", "attempts", "late")

    def __init__(self, number: int, request: Dict[str, Any], allowed: float) -> None:
        self.number = number
        self.allowed = allowed
        self.future: Future[ExecutionResult] = Future()
        self.attempts = 0
        self.late = 0.0
        self.line = json.dumps(dict(request, id=number), allow_nan=False,
                               separators=(",", ":")).encode() + b"\n"


class _Line:
    """Requests from any thread, given to one child process. A thread of its own starts it, reads its answers and
    gives lost requests to the next; whoever submits writes at once what the pipe takes."""

    WINDOW = 2          # requests given to the child, for each of its workers: one runs, one waits
    FRUITLESS = 5       # children in a row that died before they answered anything
    LONGEST = 1 << 30   # bytes of an answer
    START = 30.0        # seconds that a child may take to its first answer, preloads included

    def __init__(self, start: Callable[[], Union[_Child, _Connection]], workers: int, attempts: int,
                 grace: float) -> None:
        self._start = start
        self._window = self.WINDOW * workers
        self._attempts = attempts
        self._grace = grace
        self._numbers = itertools.count(1)
        self._leave = False         # end when nothing is left to do
        self._patience = 5.0
        self._reset()
        _lines.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._child: Union[_Child, _Connection, None] = None
        self._waiting: Deque[_Job] = deque()
        self._sent: Dict[int, _Job] = {}
        self._nameless: List[Dict[str, Any]] = []   # answers to lines whose id could not be read
        self._out: Deque[memoryview] = deque()      # what the pipe did not take yet
        self._partial = bytearray()                 # an answer that is not whole yet
        self._scanned = 0
        self._fruitless = 0
        self._look_at = 0.0                         # when the thread wakes by itself
        self._wake: Tuple[int, int] = (-1, -1)

    # -- for everybody --

    def submit(self, request: Dict[str, Any], allowed: float) -> Future[ExecutionResult]:
        job = _Job(next(self._numbers), request, allowed)
        with self._lock:
            if self._leave:
                raise SbxError("the pool is closed")
            self._waiting.append(job)
            if self._thread is None:
                self._wake = os.pipe()
                for end in self._wake:
                    os.set_blocking(end, False)
                self._thread = threading.Thread(target=self._run, name="sbx", daemon=True)
                self._thread.start()
            else:
                self._pump()
                if self._out or self._child is None or 0 < job.late < self._look_at:
                    self._rouse()
        return job.future

    def close(self, wait: bool = True, drop: bool = False, tell: bool = True) -> None:
        """Ends the child when all that was submitted is done; with `drop`, now, and tells who waits."""
        with self._lock:
            self._leave = True
            dropped = self._drop() if drop else []
            self._patience = 0.5 if dropped else 5.0
            thread = self._thread
            self._rouse()
        for job in dropped if tell else []:
            _fail(job, SbxError("the pool was closed"))
        if wait and thread is not None and thread is not threading.current_thread():
            thread.join()

    def abandon(self) -> None:
        """`close` for a finalizer, which runs at any moment and may take no lock."""
        self._leave = True
        self._rouse()

    def forked(self) -> None:
        """In a forked process: nothing of the parent's is ours."""
        child, wake = self._child, self._wake
        self._reset()
        if child is not None:
            child.forget()
        for end in wake:
            if end >= 0:
                os.close(end)

    def _rouse(self) -> None:
        try:
            os.write(self._wake[1], b"!")
        except OSError:
            pass  # full: it is awake; closed: there is nobody

    # -- with the lock held --

    def _drop(self) -> List[_Job]:
        jobs = list(self._sent.values()) + list(self._waiting)
        self._sent.clear()
        self._waiting.clear()
        return jobs

    def _pump(self) -> None:
        """Gives the child as many requests as it may have, as far as the pipe takes them."""
        self._flush()
        if self._child is None:
            return
        while self._waiting and not self._out and not self._nameless and len(self._sent) < self._window:
            job = self._waiting[0]
            # what two children died of runs alone
            if self._sent and (job.attempts > 1 or any(j.attempts > 1 for j in self._sent.values())):
                break
            self._waiting.popleft()
            if job.attempts == 0 and not job.future.set_running_or_notify_cancel():
                continue
            before = max([j.allowed for j in self._sent.values()], default=0.0)
            start = 0.0 if self._child.answered else self.START
            job.late = time.monotonic() + start + job.allowed + before + self._grace
            self._sent[job.number] = job
            self._out.append(memoryview(job.line))
            self._flush()

    def _flush(self) -> None:
        try:
            while self._out and self._child is not None:
                done = os.write(self._child.to, self._out[0])
                if done == len(self._out[0]):
                    self._out.popleft()
                else:
                    self._out[0] = self._out[0][done:]
        except BlockingIOError:
            pass
        except OSError:
            self._out.clear()  # it died; its end of output tells

    def _lines_of(self, data: bytes) -> List[bytes]:
        self._partial += data
        end = self._partial.rfind(b"\n", self._scanned)
        if end < 0:
            self._scanned = len(self._partial)
            if self._scanned > self.LONGEST:
                raise ValueError("an answer without an end")
            return []
        lines = bytes(self._partial[:end]).split(b"\n")
        del self._partial[:end + 1]
        self._scanned = len(self._partial)
        return lines

    def _answers(self, data: bytes, done: List[Tuple[_Job, Dict[str, Any]]]) -> None:
        """The jobs that are done by it. What is no answer at all is a ValueError."""
        for line in self._lines_of(data):
            answer = json.loads(line)
            if not isinstance(answer, dict) or "id" not in answer or "success" not in answer:
                raise ValueError("not an answer: %r" % line[:80])
            number = answer["id"]
            if number is None:
                self._nameless.append(answer)
                continue
            job = self._sent.pop(number, None) if isinstance(number, int) else None
            if job is not None:  # else nobody waits for it any more
                done.append((job, answer))
        # Refusals without a name belong to the requests that nothing else answers.
        if self._nameless and len(self._sent) <= len(self._nameless):
            done += zip(list(self._sent.values()), self._nameless)
            self._sent.clear()
            self._nameless.clear()
        if done and self._child is not None:
            self._child.answered = True
            self._fruitless = 0

    def _lost(self, child: Union[_Child, _Connection, None], status: int,
              why: str) -> List[Tuple[_Job, SbxError]]:
        """What it had taken waits again; those for whom there is no hope."""
        self._out.clear()
        self._nameless.clear()
        self._partial.clear()
        self._scanned = 0
        lost = list(self._sent.values())
        self._sent.clear()
        said = child.said.decode(errors="replace").strip() if child else ""
        hopeless: List[Tuple[_Job, SbxError]] = []
        self._fruitless += 0 if child and child.answered else 1
        refused = child is None or (status > 0 and said != "" and not child.answered)
        if refused or self._fruitless >= self.FRUITLESS:
            # it never worked, and said why: another try would end alike
            error = said or why or "sbx eval ended with status %d" % status
            if "No such image: %s" % DEFAULT_IMAGE in error:
                error += " (there is none by this name yet: sbx import python.sqsh python; or set SBX_EVAL_IMAGE)"
            hopeless = [(job, SbxError(error)) for job in lost + list(self._waiting)]
            self._waiting.clear()
            self._fruitless = 0
            return hopeless
        for job in reversed(lost):
            job.attempts += 1
            if job.attempts >= self._attempts:
                text = "%d times sbx eval died of this request" % job.attempts
                hopeless.append((job, SbxError(": ".join(filter(None, (text, why or said))))))
            else:
                self._waiting.appendleft(job)
        return hopeless

    # -- the thread --

    def _run(self) -> None:
        try:
            while self._turn():
                pass
        except BaseException as e:  # ours to mend; whoever waits must hear of it
            with self._lock:
                jobs, child = self._drop(), self._child
                self._finish()
            if child is not None:
                child.end(0)
            for job in jobs:
                _fail(job, SbxError("%s: %s" % (type(e).__name__, e)))
            raise

    def _turn(self) -> bool:
        """Waits for something, and does what is to be done; False at the end."""
        with self._lock:
            child, idle = self._child, not self._waiting and not self._sent
            last = idle and self._leave
            if last:
                self._finish()
        if last:
            if child is not None:
                child.end(self._patience)
            return False
        if child is None and not idle:
            self._begin()
            return True
        for fd in self._wait(child):
            if fd == self._wake[0]:
                os.read(fd, 4096)
            elif child is not None and fd == child.err:
                child.hear()
        if child is not None:
            self._listen(child)
        return True

    def _finish(self) -> None:
        self._child = self._thread = None
        ends, self._wake = self._wake, (-1, -1)  # abandon() takes no lock, and the numbers are soon another's
        for end in ends:
            os.close(end)

    def _begin(self) -> None:
        if self._fruitless > 1:
            time.sleep(0.05 * self._fruitless)
        why = ""
        with _starting:
            try:
                self._child = self._start()
            except SbxError as e:
                why = str(e)
        if why:
            self._is_gone(None, 0, why)

    def _wait(self, child: Union[_Child, _Connection, None]) -> List[int]:
        """The descriptors where something is to be done."""
        watch = select.poll()
        with self._lock:
            self._pump()
            watch.register(self._wake[0], select.POLLIN)
            if child is not None:
                for fd in {child.out, child.err, child.to} - {-1}:
                    wanted = select.POLLOUT if fd == child.to and self._out else 0
                    watch.register(fd, wanted | (select.POLLIN if fd in (child.out, child.err) else 0))
            now = time.monotonic()
            if self._sent:
                self._look_at = min(job.late for job in self._sent.values())
            elif self._look_at < now:
                self._look_at = _NEVER
            ms = None if self._look_at == _NEVER else max(0.0, self._look_at - now) * 1000 + 1
        return [fd for fd, events in watch.poll(ms) if events & ~select.POLLOUT]

    def _listen(self, child: Union[_Child, _Connection]) -> None:
        """Takes the answers that are there, and notices when there will be no more."""
        done: List[Tuple[_Job, Dict[str, Any]]] = []
        data: Optional[bytes] = None
        why = ""
        try:
            data = os.read(child.out, 1 << 20)
            gone = not data
        except OSError as e:
            gone = not isinstance(e, BlockingIOError)
        with self._lock:
            try:
                if data:
                    self._answers(data, done)
                elif any(job.late < time.monotonic() for job in self._sent.values()):
                    why = "no answer in time"
            except ValueError as e:
                why = "a line that is no answer: %s" % e
            if gone or why:
                self._child = None
            else:
                self._pump()
        if done and child.said:
            child.tell()
        for job, answer in done:
            job.future.set_result(_result(answer))
        if gone or why:
            self._is_gone(child, child.end(0 if why else 1), why)

    def _is_gone(self, child: Union[_Child, _Connection, None], status: int, why: str) -> None:
        with self._lock:
            hopeless = self._lost(child, status, why)
        for job, error in hopeless:
            _fail(job, error)


_NEVER = float("inf")
_lines: "weakref.WeakSet[_Line]" = weakref.WeakSet()


def _fail(job: _Job, error: SbxError) -> None:
    if job.future.running() or job.future.set_running_or_notify_cancel():
        job.future.set_exception(error)


def _after_fork() -> None:
    _starting.release()
    for line in list(_lines):
        line.forked()


def _at_exit() -> None:
    # A daemon thread that waits ends with the process; to be told of that would make it print a traceback.
    lines = list(_lines)
    ours = [line._thread for line in lines]
    tell = not any(t.daemon and t not in ours for t in threading.enumerate())
    for line in lines:
        line.close(drop=True, tell=tell)


os.register_at_fork(before=_starting.acquire, after_in_parent=_starting.release, after_in_child=_after_fork)
atexit.register(_at_exit)


# --- many at once --------------------------------------------------------------------------------

def _program(sbx: Optional[str]) -> str:
    name = sbx or os.environ.get("SBX") or "sbx"
    path = shutil.which(name)
    if path is None:
        raise SbxError("%s: no such program (sbx=, $SBX or PATH must name it)" % name)
    return path


def _starter(sbx: Optional[str], workers: int, preload: Sequence[str],
             image: str) -> Callable[[], Union[_Child, _Connection]]:
    def start() -> _Child:
        argv = [_program(sbx), "eval", "--jsonl", "--unordered", "-j", str(workers)]
        if preload:
            argv += ["--preload", ",".join(preload)]
        return _Child(argv + [image])
    return start


class Pool:
    """Workers that run snippets, kept alive between calls; for any number of threads and asyncio tasks.

        with Pool(workers=8, preload=["numpy"]) as pool:
            for result in pool.map(snippets, timeout=2):
                ...
            future = pool.submit("print(1)")            # a concurrent.futures.Future
            result = await pool.run_async("print(1)")   # in a coroutine

    `workers` is one for each processor unless given. `preload` are modules that are imported once, before the
    snippets: to these an import of them costs nothing. `timeout` and `maximum_memory_bytes` are for
    requests that name none. `address="unix:PATH"` speaks to a running `sbx eval --listen` instead of starting
    a child process; workers, image and preloads are the server's then.

    A request may have these keywords, all of them optional: timeout (seconds), maximum_memory_bytes,
    stdin (text; there is none by default), variables (names and values of JSON, set before the snippet runs),
    return_variables (names, or True for all that JSON can hold), files (name: text or bytes), collect (globs),
    figures, redact, max_output (bytes), allow_import, deny_import, seed, state (what `Sandbox` passes on).
    """

    def __init__(self, workers: Optional[int] = None, image: Optional[str] = None, *, preload: Sequence[str] = (),
                 timeout: float = DEFAULT_TIMEOUT, maximum_memory_bytes: int = DEFAULT_MEMORY,
                 address: Optional[str] = None, sbx: Optional[str] = None, attempts: int = 5,
                 grace: float = 30.0) -> None:
        self.workers = workers if workers is not None else len(os.sched_getaffinity(0))
        if self.workers < 1 or attempts < 1:
            raise ValueError("workers and attempts are at least 1")
        self.image = image or os.environ.get("SBX_EVAL_IMAGE") or DEFAULT_IMAGE
        self.preload = tuple(preload)
        self.timeout = timeout
        self.maximum_memory_bytes = maximum_memory_bytes
        start = _starter(sbx, self.workers, self.preload, self.image)
        if address is not None:
            path = address[5:] if address.startswith("unix:") else address
            start = lambda: _Connection(path)  # noqa: E731
        self._line = _Line(start, self.workers, attempts, grace)

    def submit(self, code: str, *, timeout: Optional[float] = None, maximum_memory_bytes: Optional[int] = None,
               stdin: Optional[str] = None, variables: Optional[Mapping[str, Any]] = None,
               return_variables: Union[bool, Sequence[str]] = False,
               files: Optional[Mapping[str, Union[str, bytes]]] = None, collect: Sequence[str] = (),
               figures: bool = False, redact: bool = False, max_output: Optional[int] = None,
               allow_import: Optional[Sequence[str]] = None, deny_import: Optional[Sequence[str]] = None,
               seed: Optional[int] = None, state: Union[bool, str] = False) -> "Future[ExecutionResult]":
        """Begins it; the future's result is an ExecutionResult. Never blocks. The future can be cancelled until
        a worker has the snippet. ValueError and TypeError are for arguments that can mean nothing."""
        if not isinstance(code, str):
            raise TypeError("code is a str, not %s" % type(code).__name__)
        seconds = self.timeout if timeout is None else timeout
        memory = self.maximum_memory_bytes if maximum_memory_bytes is None else maximum_memory_bytes
        if not seconds > 0 or seconds == _NEVER:
            raise ValueError("timeout is a number of seconds above 0")
        if not memory > 0:
            raise ValueError("maximum_memory_bytes is above 0")
        refused = _unrunnable(code)
        if refused is not None:
            done: Future[ExecutionResult] = Future()
            done.set_result(refused)
            return done
        request: Dict[str, Any] = {"code": code, "timeout": seconds, "memory": int(memory)}
        more = {
            "stdin": stdin, "vars": dict(variables or {}), "files": {n: _file_out(d) for n, d in (files or {}).items()},
            "collect": list(collect), "figures": figures, "redact": redact, "max_output": max_output,
            "return_vars": return_variables if isinstance(return_variables, bool) else list(return_variables),
            "allow_import": _listed(allow_import), "deny_import": _listed(deny_import), "seed": seed,
            "state": state,
        }
        request.update((k, v) for k, v in more.items() if v is not None and v is not False and v != [] and v != {}
                       or k in ("allow_import", "deny_import") and v is not None)
        return self._line.submit(request, float(seconds))

    def run(self, code: str, **options: Any) -> ExecutionResult:
        """One snippet, from any thread."""
        return self.submit(code, **options).result()

    def map(self, codes: Iterable[Union[str, Mapping[str, Any]]], **options: Any) -> Iterator[ExecutionResult]:
        """The results in the order of the snippets, of which there may be endlessly many: they are taken as the
        results are. In place of a snippet a mapping may stand: {"code": ..., "stdin": ..., ...}."""
        rest = iter(codes)
        ahead = deque(self._begin(c, options) for c in itertools.islice(rest, 4 * self.workers))

        def results() -> Iterator[ExecutionResult]:
            try:
                while ahead:
                    result = ahead.popleft().result()
                    ahead.extend(self._begin(c, options) for c in itertools.islice(rest, 1))
                    yield result
            finally:
                for future in ahead:
                    future.cancel()
        return results()

    def _begin(self, one: Union[str, Mapping[str, Any]], options: Mapping[str, Any]) -> "Future[ExecutionResult]":
        own = {"code": one} if isinstance(one, str) else one
        return self.submit(**{**options, **own})

    async def run_async(self, code: str, **options: Any) -> ExecutionResult:
        """One snippet, in a coroutine."""
        return await asyncio.wrap_future(self.submit(code, **options))

    async def map_async(self, codes: Iterable[Union[str, Mapping[str, Any]]],
                        **options: Any) -> AsyncIterator[ExecutionResult]:
        """`map` for `async for`."""
        rest = iter(codes)
        ahead = deque(self._begin(c, options) for c in itertools.islice(rest, 4 * self.workers))
        try:
            while ahead:
                result = await asyncio.wrap_future(ahead.popleft())
                ahead.extend(self._begin(c, options) for c in itertools.islice(rest, 1))
                yield result
        finally:
            for future in ahead:
                future.cancel()

    def close(self) -> None:
        """Waits for what was submitted, and ends the child process."""
        self._line.close()

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    async def __aenter__(self) -> "Pool":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def __del__(self) -> None:
        line = getattr(self, "_line", None)
        if line is not None:
            line.abandon()


def _listed(names: Optional[Sequence[str]]) -> Optional[List[str]]:
    return None if names is None else list(names)


_shared: Dict[Tuple[str, str, Tuple[str, ...]], Pool] = {}
_sharing = threading.Lock()


def _shared_pool(image: Optional[str] = None, preload: Sequence[str] = ()) -> Pool:
    """The pool of everybody in this process who wants no other."""
    key = (os.environ.get("SBX") or "", image or os.environ.get("SBX_EVAL_IMAGE") or DEFAULT_IMAGE, tuple(preload))
    pool = _shared.get(key)
    if pool is None:
        with _sharing:
            pool = _shared.get(key) or Pool(image=image, preload=preload)
            _shared[key] = pool
    return pool


# --- one call ------------------------------------------------------------------------------------

def execute_code(code: str, timeout: float = DEFAULT_TIMEOUT, maximum_memory_bytes: int = DEFAULT_MEMORY,
                 **options: Any) -> ExecutionResult:
    """Runs python source in a fresh container without network, with a clock and a memory limit.

    Whatever the source does is a result: its output, its exception as `error`, `timeout`, `memory_exceeded`.
    SbxError is raised only when there is no sandbox. `image=`, and the keywords of `Pool.submit`, are options.
    """
    pool = _shared_pool(options.pop("image", None))
    return pool.run(code, timeout=timeout, maximum_memory_bytes=maximum_memory_bytes, **options)


# --- one after the other, with what they leave ---------------------------------------------------

class Sandbox:
    """Snippets that build on each other.

        box = Sandbox()
        box.execute("import math\\nr = 2.0\\ndef area(): return math.pi * r * r")
        box.execute("print(area())").stdout        # 12.566370614359172
        box.reset()

    Each runs in a container of its own. What carries over are the global variables whose names do not begin with
    an underscore: whatever pickle can hold, by value; imports, functions, classes and lambdas of the top level by
    their source, which runs again before the next snippet. Not so open files, generators, threads, functions
    made by functions, changed settings of modules, and the files in /work.

    After an exception what was done until then carries over. A snippet that was ended from outside (time, memory, a
    signal, os._exit), or that leaves more than 32 MiB, changes nothing. What is pickled comes back to this process
    as bytes that are not looked into; it is read again in a container only.

    Snippets of one Sandbox run one after the other, in the order in which they came, from whatever thread.
    """

    def __init__(self, image: Optional[str] = None, *, timeout: float = DEFAULT_TIMEOUT,
                 maximum_memory_bytes: int = DEFAULT_MEMORY, preload: Sequence[str] = (),
                 variables: Optional[Mapping[str, Any]] = None, pool: Optional[Pool] = None, **options: Any) -> None:
        self._pool = pool if pool is not None else _shared_pool(image, preload)
        self._options = dict(options, timeout=timeout, maximum_memory_bytes=maximum_memory_bytes)
        self._lock = threading.RLock()
        self._queue: Deque[Tuple[str, Dict[str, Any], "Future[ExecutionResult]"]] = deque()
        self._busy = False
        self._given = _plain(variables or {})
        self._era = 0  # of resets: what was running then changes nothing
        self.reset()

    def reset(self) -> None:
        """Back to the variables that it was made with."""
        with self._lock:
            self._era += 1
            self._state: Optional[str] = None       # what the last snippet left
            self._set: Dict[str, Any] = _plain(self._given)     # what was set since then
            self._seen: Dict[str, Any] = {}         # its variables, as JSON shows them

    def __enter__(self) -> "Sandbox":
        return self

    def __exit__(self, *exc: object) -> None:
        self.reset()

    @property
    def variables(self) -> Dict[str, Any]:
        """A copy of the variables, as JSON shows them: a tuple is a list, and what JSON does not know a text."""
        with self._lock:
            return {**self._seen, **self._set}

    def set_variable(self, name: str, value: Any) -> None:
        """For the snippets that begin from now on. TypeError or ValueError for what JSON cannot hold."""
        if not name.isidentifier():
            raise ValueError("%r is no name of a variable" % name)
        value = _plain(value)
        with self._lock:
            self._set[name] = value

    def get_variable(self, name: str, default: Any = None) -> Any:
        """As the last snippet left it, see `variables`."""
        return self.variables.get(name, default)

    def submit(self, code: str, **options: Any) -> "Future[ExecutionResult]":
        """Queues it behind the earlier ones; keywords as those of `Pool.submit`."""
        future: Future[ExecutionResult] = Future()
        with self._lock:
            self._queue.append((code, {**self._options, **options}, future))
            if self._busy:
                return future
            self._busy = True
        self._next()
        return future

    def execute(self, code: str, **options: Any) -> ExecutionResult:
        """Runs it, and keeps what carries over."""
        return self.submit(code, **options).result()

    async def execute_async(self, code: str, **options: Any) -> ExecutionResult:
        """The same in a coroutine."""
        return await asyncio.wrap_future(self.submit(code, **options))

    def _next(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    self._busy = False
                    return
                code, options, future = self._queue.popleft()
                era, given = self._era, dict(self._set)
                options["variables"] = {**given, **(options.get("variables") or {})}
                options["state"] = self._state if self._state is not None else True
            if not future.set_running_or_notify_cancel():
                continue
            options.setdefault("return_variables", True)
            try:
                inner = self._pool.submit(code, **options)
            except Exception as e:
                future.set_exception(e)
                continue
            if not inner.done():
                inner.add_done_callback(lambda done: self._done(done, era, given, future))
                return
            self._keep(inner, era, given, future)  # not from here through _done(): a queue may be long

    def _done(self, done: "Future[ExecutionResult]", era: int, given: Dict[str, Any],
              future: "Future[ExecutionResult]") -> None:
        self._keep(done, era, given, future)
        self._next()

    def _keep(self, done: "Future[ExecutionResult]", era: int, given: Dict[str, Any],
              future: "Future[ExecutionResult]") -> None:
        error = done.exception()
        if error is not None:
            future.set_exception(error)
        else:
            result = done.result()
            state = result.answer.pop("state", None)
            with self._lock:
                if era == self._era and isinstance(state, str):
                    self._state, self._seen = state, result.variables
                    # what was set in the meantime is for the next one
                    self._set = {k: v for k, v in self._set.items() if k not in given or v is not given[k]}
            future.set_result(result)


def _plain(value: Any) -> Any:
    """A copy, as JSON has it."""
    return json.loads(json.dumps(value, allow_nan=False))


class Executor:
    """Snippets that build on each other, for asyncio: what carries over is told with `Sandbox`.

        executor = Executor()
        executor.set_variable("prices", [3, 1, 2])
        r = await executor.execute("top = max(prices)\\nprint(top)")
        r["stdout"], r["stderr"], r["error"], r["chart_base64"]     # "3\\n", "", None, None
        executor.get_variable("top")                                # 3

    `error` is None or one line; `chart_base64` the last figure that matplotlib has open at the end, a PNG, where
    the image has matplotlib. Keys, tokens, passwords and the like are censored in what comes back
    (redact=False: not).
    """

    def __init__(self, image: Optional[str] = None, *, timeout: float = DEFAULT_TIMEOUT,
                 maximum_memory_bytes: int = DEFAULT_MEMORY, preload: Sequence[str] = (),
                 redact: bool = True, pool: Optional[Pool] = None, **options: Any) -> None:
        self._limits: Dict[str, Any] = {"timeout": timeout, "maximum_memory_bytes": maximum_memory_bytes}
        options.setdefault("figures", True)
        self._sandbox = Sandbox(image, preload=preload, pool=pool, redact=redact, **self._limits, **options)
        self._information: Optional[Dict[str, Any]] = None

    def set_variable(self, name: str, value: Any) -> None:
        """For the snippets that begin from now on."""
        self._sandbox.set_variable(name, value)

    def get_variable(self, name: str, default: Any = None) -> Any:
        """As the last snippet left it."""
        return self._sandbox.get_variable(name, default)

    def reset(self) -> None:
        """Forgets what carries over."""
        self._sandbox.reset()

    async def execute(self, code: str, **options: Any) -> Dict[str, Any]:
        """Runs it: {"stdout", "stderr", "error", "chart_base64"}."""
        result = await self._sandbox.execute_async(code, **options)
        figures = result.figures
        return {"stdout": result.stdout, "stderr": result.stderr, "error": result.error,
                "chart_base64": figures[-1] if figures else None}

    def get_environment_info(self) -> Dict[str, Any]:
        """python's version, platform and packages inside, the limits, and the names that carry over. Asks a container
        once, and blocks for that long."""
        pool = self._sandbox._pool
        if self._information is None:
            result = pool.run(_ASK, timeout=60, return_variables=["information"])
            if not result.success:
                raise SbxError("the image cannot tell about itself: %s" % result.error)
            self._information = result.variables["information"]
        return dict(self._information, image=pool.image, workers=pool.workers, preload=list(pool.preload),
                    **self._limits, variables=sorted(self._sandbox.variables))


_ASK = """\
import importlib.metadata, platform, sys
information = {
    "python_version": platform.python_version(),
    "implementation": sys.implementation.name,
    "platform": platform.platform(),
    "packages": {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()},
}
"""
