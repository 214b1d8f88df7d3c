# SPDX-License-Identifier: Apache-2.0
"""The function that people use today to run a model's code: a child process for each call, a Manager for its answer, no
isolation. As a program, it runs the snippets on its standard input, a JSON string a line, and prints for each how
many milliseconds it took and whether it succeeded."""
import contextlib
import io
import json
import multiprocessing
import resource
import sys
import time
import traceback


def child(code, maximum_memory_bytes, answer):
    out, err = io.StringIO(), io.StringIO()
    resource.setrlimit(resource.RLIMIT_AS, (maximum_memory_bytes, maximum_memory_bytes))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            exec(code, {"__name__": "__main__"})
        answer["success"] = True
    except MemoryError:
        answer["memory_exceeded"] = True
    except BaseException:
        answer["error"] = traceback.format_exc()
    answer["stdout"], answer["stderr"] = out.getvalue(), err.getvalue()


def execute_code(code, timeout=5.0, maximum_memory_bytes=256 * 1024 * 1024):
    with multiprocessing.Manager() as manager:
        answer = manager.dict(success=False, stdout="", stderr="", error=None, timeout=False,
                              memory_exceeded=False)
        process = multiprocessing.Process(target=child, args=(code, maximum_memory_bytes, answer))
        process.start()
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            answer["timeout"] = True
        return dict(answer)


def main():
    for line in sys.stdin:
        code = json.loads(line)
        begun = time.perf_counter()
        answer = execute_code(code)
        print(json.dumps([(time.perf_counter() - begun) * 1000, answer["success"]]), flush=True)


if __name__ == "__main__":
    main()
