"""Runs of one script that share an interpreter: PyTorch and the packages that the script imports are loaded once,
and each run is a fork of it. `vramlab fit` starts this as a program of its own.

    python serving.py CONTROL SCRIPT

CONTROL is the number of a socket that both sides inherit. Each request on it is JSON (arguments, variables, folder and
log) with a socket of its own, which gets the process of the run, and at last its status and processor time.
"""

import array
import contextlib
import json
import os
import select
import signal
import socket
import sys
import threading
import types

_MOST_BYTES = 1 << 18
_SECONDS_BETWEEN_LOOKS = 0.01


def packages_of(source):
    """The packages that a script imports at its top, as far as they are installed ones."""
    import ast
    import importlib.util
    import sysconfig

    installed = tuple(sysconfig.get_paths()[name] for name in ("purelib", "platlib"))
    names = ["torch"]
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Import):
            names += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and statement.level == 0:
            names.append(statement.module)
    for name in names:
        spec = importlib.util.find_spec(name.partition(".")[0])
        if name == "torch" or (spec and (spec.origin or "").startswith(installed)):
            yield name


def _lazily_imported():
    """PyTorch imports this for the first optimizer or compiled function, which takes as long as all before."""
    return ["torch._dynamo"] if "torch._compile" in sys.modules else []


def _is_cuda_refused_to_forks():
    """PyTorch refuses it once somebody has asked for devices; only a fork knows."""
    process = os.fork()
    if process == 0:
        is_refused = getattr(sys.modules["torch"]._C, "_cuda_isInBadFork", lambda: False)()
        os._exit(int(is_refused))
    return os.WEXITSTATUS(os.waitpid(process, 0)[1]) != 0


def reason_against():
    """Why runs may not be forked; empty if they may."""
    if _is_cuda_refused_to_forks():
        return "a package asks for GPUs when it is imported"
    others = [thread.name for thread in threading.enumerate()
              if thread is not threading.main_thread() and not thread.daemon]
    return "a package started a thread (%s)" % others[0] if others else ""


def _received(control):
    """The next request and its socket; nothing at the end."""
    fds = array.array("i")
    text, more, _, _ = control.recvmsg(_MOST_BYTES, socket.CMSG_SPACE(fds.itemsize))
    for level, kind, passed in more:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            fds.frombytes(passed[:fds.itemsize])
    return (json.loads(text.decode("utf-8")), socket.socket(fileno=fds[0])) if text and fds else None


def _tell(answer, line):
    """The process of the run may be gone."""
    with contextlib.suppress(OSError):
        answer.sendall(line)


def _serve(control):
    """Returns in the process of a run, with its request; ends in our own."""
    runs = {}
    while True:
        while runs:
            process, status, used = os.wait4(-1, os.WNOHANG)
            if process == 0:
                break
            answer = runs.pop(process, None)
            if answer:
                _tell(answer, b"%d %.3f\n" % (status, used.ru_utime + used.ru_stime))
                answer.close()
        if not select.select([control], [], [], _SECONDS_BETWEEN_LOOKS if runs else None)[0]:
            continue
        received = _received(control)
        if received is None:
            os._exit(0)
        request, answer = received
        process = os.fork()
        if process == 0:
            control.close()
            for other in [*runs.values(), answer]:
                other.close()
            return request
        runs[process] = answer
        _tell(answer, b"%d\n" % process)


def _end_with_parent():
    import ctypes

    ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))


def _become(request, script):
    """The process looks like one that began with the script."""
    from vramlab_dry_run import endings

    os.setpgid(0, 0)
    _end_with_parent()
    for path, flags, number in ((os.devnull, os.O_RDONLY, 0),
                                (request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 1)):
        opened = os.open(path, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(1, 2)
    os.chdir(request["folder"])
    os.environ.update(request["variables"])
    sys.argv[:] = [script, *request["arguments"]]
    endings.note_process()
    endings.watch_requests_to_end()
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=script, __builtins__=__builtins__, __cached__=None, __spec__=None)
    sys.modules["__main__"] = main
    return main


def _main():
    control = socket.socket(fileno=int(sys.argv[1]))
    script = sys.argv[2]
    # As for the script itself, and without our own folder.
    sys.path[0] = os.path.dirname(os.path.realpath(script))
    with open(script, "rb") as file:
        source = file.read()
    import importlib

    try:
        for name in packages_of(source):
            importlib.import_module(name)
        for name in _lazily_imported():
            importlib.import_module(name)
        reason = reason_against()
    except Exception as error:
        reason = "%s: %s" % (type(error).__name__, error)
    control.sendall(reason.encode("utf-8") or b"ready")
    if reason:
        return
    request = _serve(control)
    main = _become(request, script)
    exec(compile(source, script, "exec", dont_inherit=True), main.__dict__)


_main()
