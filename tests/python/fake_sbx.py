#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speaks as `sbx eval --jsonl` does, and misbehaves when a snippet's first line says so. What must be told
apart in another life of it is a file in $FAKE_STATE.

    #die N       dies of this snippet, the first N times that it gets it
    #half N      the same in the middle of its answer
    #garbage N   a line that is no answer, instead of one
    #hang N      no answer at all
    #twice       answers it twice
    #nameless    refuses it as a line whose id could not be read
    #killed      answers as if it had used up its memory
    #later       answers when the next request has been answered
    #count       how many copies of this program have been started
    #deaf        reads nothing more until the file `hear` is there
"""
import base64
import contextlib
import io
import json
import os
import sys
import time

state = os.environ.get("FAKE_STATE", "")
held = []


def count(name):
    with open(os.path.join(state, name), "ab", 0) as f:
        f.write(b".")
        return f.tell()


def say(answer):
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def names_of(space):
    def plain(value):
        try:
            json.dumps(value)
            return True
        except (TypeError, ValueError):
            return False
    return {k: v for k, v in space.items() if not k.startswith("_") and plain(v)}


def execute(request):
    out, error, space = io.StringIO(), None, {"__name__": "__main__", "request": None}
    if isinstance(request.get("state"), str):
        space.update(json.loads(base64.b64decode(request["state"])))
    space.update(request.get("vars", {}))
    with contextlib.redirect_stdout(out):
        try:
            space["request"] = lambda: request
            exec(compile(request["code"], "main.py", "exec"), space)
        except Exception as e:
            error = {"type": type(e).__name__, "message": str(e), "line": 1, "traceback": "..."}
    answer = {"id": request["id"], "success": error is None, "stdout": out.getvalue(), "stderr": "", "error": error,
              "exit_code": 0 if error is None else 1, "signal": None, "reason": "exited", "timeout": False,
              "memory_exceeded": False, "wall": 0.001, "user": 0.001, "system": 0.0, "peak_memory": 1 << 20}
    if request.get("return_vars"):
        answer["vars"] = names_of(space)
    if request.get("state"):
        answer["state"] = base64.b64encode(json.dumps(names_of(space)).encode()).decode()
    if request.get("figures") and "figure" in space:
        answer["figures"] = [space["figure"]]
    if request.get("collect"):
        answer["files"] = {"a": "text", "b": {"base64": base64.b64encode(b"\0\1").decode()}}
    return answer


def serve(request):
    first = request["code"].split("\n")[0]
    word, _, number = first[1:].partition(" ") if first.startswith("#") else ("", "", "")
    bad = number and count("seen." + word) <= int(number)
    if word == "die" and bad:
        os._exit(1)
    elif word == "half" and bad:
        sys.stdout.write('{"id": %d, "succ' % request["id"])
        sys.stdout.flush()
        os._exit(1)
    elif word == "garbage" and bad:
        print("Segmentation fault", flush=True)
    elif word == "hang" and bad:
        pass
    elif word == "killed":
        say({"id": request["id"], "success": False, "reason": "oom", "memory_exceeded": True, "vars": {}})
    elif word == "nameless":
        say({"id": None, "success": False, "error": {"type": "RequestError", "message": "no JSON"},
             "reason": "setup-error"})
    elif word == "later":
        held.append(execute(request))
        return
    elif word == "count":
        say(dict(execute(request), stdout=str(os.path.getsize(os.path.join(state, "started")))))
    elif word == "deaf":
        say(execute(request))
        while not os.path.exists(os.path.join(state, "hear")):
            time.sleep(0.01)
    else:
        answer = execute(request)
        say(answer)
        if word == "twice":
            say(answer)
    while held:
        say(held.pop())


def main():
    arguments = sys.argv[1:]
    assert arguments[:4] == ["eval", "--jsonl", "--unordered", "-j"], arguments
    number = count("started")
    if arguments[-1] == "nosuch":
        sys.exit("Unable to find image 'nosuch' locally")
    if arguments[-1] == "never" or arguments[-1] == "thirdtime" and number < 3:
        os.kill(os.getpid(), 9)
    for line in sys.stdin:
        serve(json.loads(line))
    count("ended")


main()
