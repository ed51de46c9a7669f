"""Marks and scans as they are noted: numbers in arrays, which the garbage collector does not count.

Its passes are due after so many new objects, and a pass can free memory of a device. Objects that are
kept here would move them.
"""

import threading
from array import array
from time import time_ns
from typing import Callable, Dict, List, Tuple

#: What a mark says, in the last bits of its code; the rest is the number of a module.
END, FORWARD, INFERENCE, RECOMPUTED, BACKWARD, STEP = range(6)
BITS = 3

#: The marks of each thread: times in nanoseconds and codes by turns.
logs: "List[array[int]]" = []
#: Times in nanoseconds and numbers of scans by turns.
scanned: "array[int]" = array("q")
#: The numbers of scans by their rows.
scans: Dict[bytes, int] = {}
#: Errors that were met on the way.
troubles: List[str] = []

_MOST_TROUBLES = 10


class Thread:
    """A thread's marks, and how many calls it is in."""

    __slots__ = ("depth", "note", "is_in_step")

    def __init__(self) -> None:
        log: "array[int]" = array("q")
        logs.append(log)
        #: Called with a time and a code; no other thread can come between.
        self.note: Callable[[Tuple[int, int]], None] = log.extend
        self.depth = 0
        self.is_in_step = False


class _Threads(threading.local):
    def __init__(self) -> None:
        self.own = Thread()


threads = _Threads()


def note_scan(rows: bytes) -> int:
    """Equal scans are kept once."""
    number = scans.setdefault(rows, len(scans))
    scanned.extend((time_ns(), number))
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
        del log[:]
    del scanned[:]
    scans.clear()
    troubles.clear()
