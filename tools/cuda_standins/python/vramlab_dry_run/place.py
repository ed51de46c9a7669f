"""The program's place: the innermost frame of Python outside PyTorch's own files, as a text."""

import ctypes
import os
import sys
import threading

from vramlab_dry_run import callbacks

# Lines of these libraries say nothing about the program: PyTorch and what comes with it.
_library_folders = ()


def prepare(torch_folder):
    add_library(torch_folder)


def add_library(folder):
    global _library_folders
    _library_folders += (folder + os.sep,)


def is_own(filename):
    return filename.startswith(_own_folder)


_own_folder = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_of_library(filename):
    """Whether it is a file of PyTorch or of what comes with it."""
    return filename.startswith(_library_folders) or filename.startswith("<")


def place_of(frame):
    """File, line and function; nothing, 0 and nothing where there is no Python frame."""
    innermost = _innermost(frame)
    if innermost is None:
        # A thread of a backward pass: what the program is doing is seen in its main thread.
        innermost = _innermost(sys._current_frames().get(threading.main_thread().ident))
    if innermost is None:
        return ("", 0, "")
    return (innermost.f_code.co_filename, innermost.f_lineno or 0, innermost.f_code.co_name)


def of_error(error):
    """The place of an exception: the innermost frame of its traceback outside PyTorch, as a text."""
    innermost, own = None, None
    step = error.__traceback__
    while step is not None:
        filename = step.tb_frame.f_code.co_filename
        if not is_own(filename) and not filename.startswith("<"):
            innermost = step
            own = own if filename.startswith(_library_folders) else step
        step = step.tb_next
    found = own or innermost
    if found is None:
        return ""
    code = found.tb_frame.f_code
    return text_of((code.co_filename, found.tb_lineno, code.co_name))


def text_of(place):
    """Such as `train.py:12 step`, with the whole path; empty for no place."""
    return "%s:%d %s" % place if place[0] else ""


def current(frame=None):
    """Empty where there is no Python frame."""
    return text_of(place_of(frame or sys._getframe(1)))


def variables_of(frame, *names):
    """Variables of a frame. Before Python 3.13 a frame keeps what it showed here, and with it the
    program's tensors, so that is cleared."""
    shown = frame.f_locals
    found = [shown.get(name) for name in names]
    if isinstance(shown, dict):
        shown.clear()
    return found


def _innermost(frame):
    """The innermost frame outside PyTorch, else that of a program that is no file (`python -c`), else the
    innermost of all."""
    innermost = typed = None
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename.startswith("<"):
            typed = typed or (frame if frame.f_globals.get("__name__") == "__main__" else None)
        elif not is_own(filename):
            innermost = innermost or frame
            if not filename.startswith(_library_folders):
                return frame
        frame = frame.f_back
    return typed or innermost


def _tell(text, room):
    try:
        place = current(sys._getframe(0)).encode("utf-8", "replace")[: room - 1]
        ctypes.memmove(text, place + b"\0", len(place) + 1)
        return len(place)
    except Exception:  # No exception may get into C.
        return 0


def register():
    """The stand-in driver asks for the place when a value of the device reaches the host."""
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong)
    callbacks.give("vramlab_dry_run_set_place", kind, _tell)
