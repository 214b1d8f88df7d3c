# The rest of runner.py, run in its namespace when something of it is wanted: errors, modules that are not python's own,
# and everything which a request asks for beside its code.


# ---- before ----------------------------------------------------------------------------------

def late_site(name, target):
    if Late not in sys.meta_path:
        return None
    sys.meta_path.remove(Late)
    sys.meta_path.remove(Early)
    import site
    site.main()
    if name is None:
        return None
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None, target)
        if spec:
            return spec
    return None


def put_files(files):
    for name, data in files.items():
        at = name.find("/")
        while at > 0:
            try:
                posix.mkdir(WORK + "/" + name[:at])
            except FileExistsError:
                pass
            at = name.find("/", at + 1)
        put(WORK + "/" + name, data)


def set_stdin(data):
    put(WORK + "/.stdin", data)
    fd = posix.open(WORK + "/.stdin", posix.O_RDONLY)
    posix.unlink(WORK + "/.stdin")
    posix.dup2(fd, 0)
    posix.close(fd)


def guard_imports(request):
    """A convenience and no fence: looks at import statements of the code itself."""
    allow, deny, seed = request.get("allow_import"), request.get("deny_import"), request.get("seed")

    def refuse(name):
        raise ImportError("import of %s is not allowed here" % name, name=name)

    def check(name, fromlist):
        parts = [name] + [name + "." + f for f in fromlist or () if isinstance(f, str)]
        if allow is not None and not any(p == a or p.startswith(a + ".") for p in parts for a in allow):
            refuse(name)
        for part in parts:
            if deny and any(part == d or part.startswith(d + ".") for d in deny):
                refuse(part)

    def checked(name, globals=None, locals=None, fromlist=(), level=0):
        if level == 0 and globals is not None and globals.get("__name__") == "__main__":
            check(name, fromlist)
        fresh = seed is not None and "numpy.random" not in sys.modules
        module = import_(name, globals, locals, fromlist, level)
        if fresh and "numpy.random" in sys.modules:
            seed_numpy(seed)
        return module

    builtins.__import__ = checked


def seed_numpy(seed):
    try:
        sys.modules["numpy"].random.seed(None if seed is None else seed % 2**32)
    except AttributeError:
        pass  # half imported, or not the numpy that we know


def set_seed(seed):
    if "numpy" in sys.modules:
        seed_numpy(seed)
    if seed is not None:
        import random
        random.seed(seed)


def prepare(request, space):
    if "files" in request:
        put_files(request["files"])
    if "stdin" in request:
        set_stdin(request["stdin"])
    if request.get("state"):
        load_state(request["state"], space)
    space.update(request.get("vars") or {})
    set_seed(request.get("seed"))
    if request.keys() & {"allow_import", "deny_import", "seed"}:
        guard_imports(request)


# ---- errors ----------------------------------------------------------------------------------

def line_of(error, tb):
    if isinstance(error, SyntaxError) and error.filename == MAIN:
        return error.lineno or 0
    line = 0
    while tb is not None:
        if tb.tb_frame.f_code.co_filename == MAIN:
            line = tb.tb_lineno
        tb = tb.tb_next
    return line


class Text:
    """Standard error, for as long as python prints a traceback into it."""
    encoding, errors = "utf-8", "backslashreplace"

    def __init__(self):
        self.parts = []

    def write(self, s):
        self.parts.append(s)
        return len(s)

    def flush(self):
        pass


def show(kind, error, tb):
    real, text = sys.stderr, Text()
    sys.stderr = text
    try:
        sys.__excepthook__(kind, error, tb)
    finally:
        sys.stderr = real
    text = "".join(text.parts)
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(kind, error, tb)
    elif real is not None:
        real.write(text)
    return text


def own_traceback(error):
    """Without frames of ours: those which called the code, and those of an import that is refused."""
    def foreign(tb):
        while tb is not None and tb.tb_frame.f_code.co_filename == "<sbx>":
            tb = tb.tb_next
        return tb

    tb = error.__traceback__ = foreign(error.__traceback__)
    while tb is not None:
        tb.tb_next = foreign(tb.tb_next)
        tb = tb.tb_next
    return error.__traceback__


def tell_error(error):
    say(b"e", type(error).__name__)
    try:
        say(b"m", str(error))
    except Exception:
        say(b"m", "<it cannot be printed>")
    tb = own_traceback(error)
    say(b"n", str(line_of(error, tb)))
    try:
        say(b"t", show(type(error), error, tb))
    except BaseException:
        pass  # no memory for it, or a hook that fails


def number_of(code):
    """What python makes of it: a long of C, or -1."""
    return code & 255 if -2**63 <= code < 2**63 else 255


def child_status(error):
    if isinstance(error, SystemExit):
        code = error.code
        if isinstance(code, int) or code is None:
            return number_of(code or 0)
        print(code, file=sys.stderr)
    else:
        show(type(error), error, own_traceback(error))
    return 1


def exit_code(error):
    """What python makes of a SystemExit."""
    code = error.code
    if code is None:
        return 0
    say(b"e", type(error).__name__)
    say(b"m", str(error))
    if isinstance(code, int):
        return number_of(code)
    try:
        print(code, file=sys.stderr)
    except Exception:
        pass
    return 1


# ---- after -----------------------------------------------------------------------------------

def tell_figures():
    plt = sys.modules.get("matplotlib.pyplot")
    if plt is None:
        return
    import io
    for number in plt.get_fignums():
        png = io.BytesIO()
        plt.figure(number).savefig(png, format="png")
        tell_large(b"g", png.getvalue())


def plain(value, deep=50):
    """What of it JSON can say; the rest as python prints it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if -2**63 <= value < 2**63 else str(value)
    if isinstance(value, float):
        return float(value) if value - value == 0 else str(value)
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if deep and isinstance(value, (list, tuple, set, frozenset)):
        return [plain(v, deep - 1) for v in value]
    if deep and isinstance(value, dict):
        return {plain(str(k)): plain(v, deep - 1) for k, v in value.items()}
    if deep and hasattr(value, "tolist"):
        return plain(value.tolist(), deep - 1)
    return plain(repr(value))


def tell_vars(wanted, space):
    import json
    if wanted is True:
        wanted = [k for k, v in space.items() if isinstance(k, str) and k[:1] != "_"
                  and not isinstance(v, (type(sys), type)) and not callable(v)]
    found = {}
    for name in wanted:
        if name in space:
            try:
                found[name] = plain(space[name])
            except Exception:
                found[name] = "<it cannot be printed>"
    tell_large(b"v", json.dumps(found).encode())


# ---- what a snippet leaves to the next of its session -----------------------------------------

# A marshalled pair: the sources of imports, functions and classes by name, which pickle only knows by name; pickles.
# It is written and read in containers of one session and nowhere else.

def load_state(state, space):
    import marshal
    import pickle
    sources, values = marshal.loads(state)
    again = list(dict.fromkeys(sources.values()))
    for _ in range(3):  # a class may want a value, and a value its class
        again = [s for s in again if not attempted(exec, compile(s, "<earlier>", "exec", 0, True), space)]
        values = [v for v in values if not attempted(lambda: space.update(pickle.loads(v)))]
    space["__sources__"] = sources


def attempted(what, *args):
    try:
        what(*args)
        return True
    except Exception:
        return False


def sources_of(code):
    """Name and source of what each statement of the top level defines."""
    try:
        body = compile(code, MAIN, "exec", 0x400, True).body  # an AST
    except Exception:
        return
    lines = code.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # as python counts them
    for node in body:
        kind = type(node).__name__
        first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", ())])
        source = "\n".join(lines[first - 1:node.end_lineno]) + "\n"
        if kind in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            yield node.name, source
        elif kind == "Assign" and type(node.value).__name__ == "Lambda":
            for target in node.targets:
                yield getattr(target, "id", ""), source
        elif kind in ("Import", "ImportFrom") and getattr(node, "module", "") != "__future__":
            where = "from %s%s " % ("." * node.level, node.module or "") if kind == "ImportFrom" else ""
            for a in node.names:
                yield (a.asname or a.name.split(".")[0],
                       where + "import " + a.name + (" as " + a.asname if a.asname else "") + "\n")


def tell_state(code, space):
    import marshal
    import pickle
    sources = space.pop("__sources__", {})
    alone, bound = {}, {}  # values, and those that need a class of the code
    for name, source in sources_of(code if isinstance(code, str) else code.decode("utf-8", "replace")):
        sources.pop(name, None)  # the newest comes last
        sources[name] = source
    for name, value in space.items():
        if name[:1] == "_" or isinstance(value, type(sys)):
            continue
        if getattr(value, "__module__", None) == "__main__" and hasattr(value, "__qualname__"):
            continue  # its source says it
        try:
            (bound if b"__main__" in pickle.dumps(value, 4) else alone)[name] = value
        except Exception:
            pass
        if not callable(value):
            sources.pop(name, None)  # bound anew
    sources = {n: s for n, s in sources.items() if n in space}
    # together: what two variables share is shared again
    tell_large(b"s", marshal.dumps((sources, [pickle.dumps(alone, 4), pickle.dumps(bound, 4)]), 4))


left = 32 << 20  # bytes: what is too large is left out, and that is said


def tell_large(kind, content):
    global left
    if len(content) > left:
        say(b"i")
        return
    left -= len(content)
    say(kind, content)


def flush_files():
    import gc
    import io
    for o in gc.get_objects():
        if isinstance(o, io.IOBase) and not o.closed:
            try:
                o.flush()
            except Exception:
                pass


def below(at, parts, seen):
    """What matches below the directory `at`, which is "" or ends with a slash. "**" enters no directory by a link:
    where links lead up again it would come to no end."""
    import fnmatch
    import os
    head, rest = parts[0], parts[1:]
    if (at, len(parts)) in seen:
        return
    seen.add((at, len(parts)))
    if head == "**" and rest:
        yield from below(at, rest, seen)
    with os.scandir(at or ".") as entries:
        entries = sorted(entries, key=lambda e: e.name)
    for entry in entries:
        path, further = at + entry.name, rest
        if head == "**":
            matches, further = entry.name[0] != ".", parts
            enter = matches and entry.is_dir(follow_symlinks=False)
        else:
            matches = fnmatch.fnmatchcase(entry.name, head) and (entry.name[0] != "." or head[0] == ".")
            enter = matches and rest and entry.is_dir()
        if matches and not rest:
            yield path
        if enter:
            yield from below(path + "/", further, seen)


def tell_files(globs):
    import os
    flush_files()
    os.chdir(WORK)
    told = {"main.py"}
    for pattern in globs:
        parts = [p for p in pattern.split("/") if p not in ("", ".")]
        if pattern[0] == "/" or ".." in parts or not parts:
            continue
        for path in below("", parts, set()):
            if path in told or not os.path.isfile(path):
                continue
            told.add(path)
            if os.path.getsize(path) > left:
                say(b"i")
                continue
            with open(path, "rb") as f:
                tell_large(b"f", os.fsencode(path) + b"\0" + f.read(left + 1))


def answer(request, space):
    failed = 0
    if request.get("figures"):
        failed |= told(tell_figures)
    if request.get("return_vars"):
        failed |= told(tell_vars, request["return_vars"], space)
    if request.get("collect"):
        failed |= told(tell_files, request["collect"])
    if "state" in request:
        failed |= told(tell_state, request["code"], space)
    return failed


def told(what, *args):
    try:
        what(*args)
    except BaseException as e:
        return attempt(tell_error, e) or 1
    return 0
