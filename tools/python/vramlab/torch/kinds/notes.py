"""Marks and scans as they are noted: numbers in arrays, which the garbage collector does not count.

Its passes are due after so many new objects, and a pass can free memory of a device. Objects that are
kept here would move them.
"""

import threading
from array import array
from time import time_ns
from typing import Callable, Dict, List

#: The phases that marks begin, in the last bits of a code; the other bits are the number of a module.
END, FORWARD, INFERENCE, RECOMPUTED, BACKWARD, STEP = range(6)
BITS = 3

#: The marks of each thread: times in nanoseconds, and codes.
logs: "List[Log]" = []
#: Times in nanoseconds and numbers of scans by turns.
scanned: "array[int]" = array("q")
#: The numbers of scans by their rows.
scans: Dict[bytes, int] = {}
#: Errors that were met on the way.
troubles: List[str] = []

_MOST_TROUBLES = 10


class Log:
    """The marks of a thread."""

    __slots__ = ("times", "codes")

    def __init__(self) -> None:
        self.times: "array[int]" = array("q")
        self.codes: "array[int]" = array("q")


class Thread:
    """How many calls of modules a thread is in and the phase of the outermost, and its marks."""

    __slots__ = ("depth", "phase", "note_time", "note_code", "steps")

    def __init__(self) -> None:
        log = Log()
        logs.append(log)
        self.note_time: Callable[[int], None] = log.times.append
        self.note_code: Callable[[int], None] = log.codes.append
        self.depth = 0
        self.phase = FORWARD
        #: Steps of optimizers that it is in; one may call another.
        self.steps = 0

    def note(self, code: int) -> None:
        """A mark."""
        self.note_time(time_ns())
        self.note_code(code)


class _Threads(threading.local):
    def __init__(self) -> None:
        self.own = Thread()


threads = _Threads()


def note_scan(rows: bytes) -> int:
    """Equal scans are kept once."""
    number = scans.setdefault(rows, len(scans))
    note_scan_again(number)
    return number


def note_scan_again(number: int) -> None:
    """A scan that found the same as an earlier one."""
    scanned.extend((time_ns(), number))


def trouble(where: str, error: BaseException) -> None:
    """An error here is no error of the program, but is told."""
    text = f"{where}: {type(error).__name__}: {error}"
    if len(troubles) < _MOST_TROUBLES and text not in troubles:
        troubles.append(text)


def forget() -> None:
    """A new recording has nothing of an earlier one."""
    for log in logs:
        del log.times[:], log.codes[:]
    del scanned[:]
    scans.clear()
    troubles.clear()
