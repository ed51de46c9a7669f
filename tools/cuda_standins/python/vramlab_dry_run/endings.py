"""Every way in which a process ends that lets us write first: the interpreter's end, os._exit,
os.exec, the signal that asks for a report, being asked to end, and a crash."""

import atexit
import functools
import os
import signal
import sys
import threading
import time

_SECONDS_AFTER_CRASH = 30
_SECONDS_INSIDE_A_LIBRARY = 5

# The process that has something to tell; its forked children have not.
_process = None
_is_finished = False
_is_written = False
_kept = []


def note_process():
    global _process, _is_finished, _is_written
    _process = os.getpid()
    _is_finished = _is_written = False


def watch():
    """Early, so that what the program registers to be called at its end is called before."""
    atexit.register(_finish)
    _call_before("_exit", lambda status: _finish())
    for name in ("execv", "execve"):
        _call_before(name, lambda path, *_: os.path.exists(path) and _write_report())
    name = os.environ.get("VRAMLAB_DRY_RUN_SIGNAL")
    if name and threading.current_thread() is threading.main_thread():
        signal.signal(getattr(signal, "SIG" + name), _write_report)


def _call_before(name, first):
    function = getattr(os, name)

    @functools.wraps(function)
    def call(*args, **kwargs):
        first(*args, **kwargs)
        return function(*args, **kwargs)

    setattr(os, name, call)


def _note_error():
    """The exception that nobody caught and that ended the interpreter, if one did."""
    error = getattr(sys, "last_value", None)
    if error is None or isinstance(error, KeyboardInterrupt):
        return
    from vramlab_dry_run import errors

    errors.note(error)


def _write():
    from vramlab_dry_run import callbacks, phases, recording, report

    if not phases.is_all_written():
        recording.dump()
    report.guarded(_note_error)()
    if os.environ.get("VRAMLAB_DRY_RUN_FILES") == "1":
        from vramlab_dry_run import files_read

        report.guarded(files_read.tell)(report)
    report.guarded(report.save)()
    report.guarded(callbacks.write_notes)()


def _finish(is_asked_to_end=False):
    global _is_finished, _is_written
    if _process != os.getpid() or _is_finished:
        return
    _is_finished = True
    from vramlab_dry_run import callbacks, leaving, report

    report.values["has_ended"] = True
    _write()
    _is_written = True
    callbacks.take_back()
    if not is_asked_to_end:
        leaving.leave()


def end_at_once(message):
    """From wherever it is called, also from C, which no exception may get into."""
    _finish(is_asked_to_end=True)
    sys.stderr.write(message)
    sys.stderr.flush()
    os._exit(1)


def _write_report(*_):
    if _process == os.getpid():
        _write()


def watch_requests_to_end():
    """They end a program without its interpreter being asked, unless it looks itself."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
        if _ends_the_process(number):
            signal.signal(number, _end_by_signal)
    _watch_from_a_thread()


def _ends_the_process(number):
    """Asks the system, since handlers of libraries are not known to the module signal."""
    with open("/proc/self/status", encoding="ascii") as file:
        masks = [int(line.split()[1], 16) for line in file if line.startswith(("SigIgn", "SigCgt"))]
    return not any(mask >> (number - 1) & 1 for mask in masks)


def _end_by_signal(number, frame):
    if _is_finished and not _is_written and _process == os.getpid():
        # Asked once more while the history is written. The process ends after it.
        return
    _finish(is_asked_to_end=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


def _watch_from_a_thread():
    """Python calls a handler between two of its own instructions. The main thread may be inside a
    library for long or for ever, where a signal would have ended the process without us."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    if before != -1:
        signal.set_wakeup_fd(before)
        os.close(reading)
        os.close(writing)
        return
    # The pipe is the parent's.
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
    threading.Thread(target=_end_from_outside, args=(reading,), daemon=True).start()


def _end_from_outside(reading):
    import ctypes

    libc = ctypes.CDLL(None)
    while True:
        number = os.read(reading, 1)[0]
        if signal.getsignal(number) is not _end_by_signal:
            continue
        time.sleep(_SECONDS_INSIDE_A_LIBRARY)
        # The handler ends the process itself once it was called.
        if _is_finished:
            continue
        writing = threading.Thread(target=_finish, args=(True,), daemon=True)
        writing.start()
        writing.join(_SECONDS_AFTER_CRASH)
        libc.signal(number, None)
        os.kill(os.getpid(), number)


def watch_crashes():
    """The process is lost, but its history mostly is not: it is written as far as that goes, and
    an alarm ends the attempt. Handlers that are there already stay."""
    import ctypes

    libc = ctypes.CDLL(None)
    libc.signal.restype = ctypes.c_void_p
    libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]

    def crashed(number):
        libc.signal(number, None)
        libc.signal(int(signal.SIGALRM), None)
        libc.alarm(_SECONDS_AFTER_CRASH)
        if _process == os.getpid() and not _is_finished:
            _write()
        libc.alarm(0)
        libc.kill(os.getpid(), number)

    handler = ctypes.CFUNCTYPE(None, ctypes.c_int)(crashed)
    _kept.append(handler)
    for number in (signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGFPE, signal.SIGABRT):
        before = libc.signal(int(number), ctypes.cast(handler, ctypes.c_void_p))
        if before:
            libc.signal(int(number), before)
