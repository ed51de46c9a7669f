"""Runs of one script that share an interpreter: PyTorch and the packages that the script imports are loaded once,
and each run is a fork of it. `vramlab fit` starts this as a program of its own.

    python serving.py CONTROL SCRIPT

CONTROL is the number of a socket that both sides inherit. Each request on it is JSON (arguments, variables, folder and
log) with a socket of its own, which gets two processes, that which minds the run and that of the program, and at last
the program's status and processor time.
"""

import array
import atexit
import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import threading
import time
import types

_MOST_BYTES = 1 << 18
_SECONDS_BETWEEN_LOOKS = 0.01
_SECONDS_OF_ENDING = 0.1
_LOOKS_BEFORE_THE_END, _MOST_LOOKS = 30, 60
# Options of prctl().
_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


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
    while True:
        received = _received(control)
        _reap()
        if received is None:
            os._exit(0)
        request, answer = received
        if os.fork() == 0:
            control.close()
            if _mind(answer):
                return request
            os._exit(0)
        answer.close()


def _reap():
    """Children that have ended, of which nobody wants to know more."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _mind(answer):
    """Makes the process of the program, and returns true in it. Our own stays to see its end, and to end all that it
    started, also what left its group and its session."""
    _end_with_parent()
    os.setpgid(0, 0)
    _control_process(_SET_CHILD_SUBREAPER, 1)
    program = os.fork()
    if program == 0:
        answer.close()
        return True
    _tell(answer, b"%d %d\n" % (os.getpid(), program))
    end = _end_of(program, answer)
    _end_children()
    if end:
        status, used = end
        _tell(answer, b"%d %.3f\n" % (status, used.ru_utime + used.ru_stime))
    return False


def _end_of(program, answer):
    """The status and what was used; nothing if nobody waits for it any more."""
    while True:
        process, status, used = os.wait4(program, os.WNOHANG)
        if process:
            return status, used
        if select.select([answer], [], [], _SECONDS_BETWEEN_LOOKS)[0]:
            return None


def _end_children():
    """They are asked first, as they may have something to write, and are not waited for for ever."""
    for look in range(_MOST_LOOKS):
        _reap()
        with open("/proc/self/task/%d/children" % os.getpid()) as file:
            left = [int(process) for process in file.read().split()]
        if not left:
            return
        for process in left if look == 0 or look >= _LOOKS_BEFORE_THE_END else ():
            os.kill(process, signal.SIGTERM if look == 0 else signal.SIGKILL)
        time.sleep(_SECONDS_OF_ENDING)


def _control_process(option, value):
    import ctypes

    ctypes.CDLL(None).prctl(option, value)


def _end_with_parent():
    _control_process(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL))


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
    # At the end of a run nobody looks through the objects that are left, which would take as long as a short program.
    atexit.register(gc.freeze)
    request = _serve(control)
    main = _become(request, script)
    exec(compile(source, script, "exec", dont_inherit=True), main.__dict__)


_main()
