"""The document of marks and scans beside a history, whose entries say where they belong."""

import heapq
from array import array
from bisect import bisect_left, bisect_right
from typing import Any, Dict, Iterator, List, Tuple

from . import by_stack, modules, notes
from .notes import BITS, END
from .storages import KINDS, WIDTH

KEY = "vramlab_kinds"
_VERSION = 1
_PHASES = ("", "forward", "inference", "recomputed", "backward", "step")
_OTHER = ("other", 0)

#: Time in microseconds, whether it ends something, phase and number of a module.
_Mark = Tuple[int, bool, str, int]


def document(snapshot: Dict[str, Any]) -> Dict[str, Any]:
    """For a snapshot with PyTorch's history, of which the beginning may be missing."""
    marks = list(_marks())
    devices = [_of_device(device, trace, marks)
               for device, trace in enumerate(snapshot.get("device_traces", [])) if trace]
    return {"version": _VERSION, "names": _used_names(devices), "devices": devices,
            "troubles": list(notes.troubles)}


def _used_names(devices: List[Dict[str, Any]]) -> List[str]:
    """Numbers of names become places in this list; the first name is empty."""
    names = modules.names()
    used = {"": 0}
    for of_device in devices:
        for rows in (of_device["phases"], *of_device["scans"]):
            for row in rows:
                row[2:] = [used.setdefault(names[value], len(used)) if isinstance(value, int)
                           else value for value in row[2:]]
    return list(used)


def _marks() -> Iterator[_Mark]:
    """In the order of their times, each with what it leaves behind: what its thread is in, else another
    thread, which waits for it."""
    stacks: Dict[int, List[Tuple[str, int]]] = {}
    for time, thread, code in heapq.merge(*(_of_thread(number, log)
                                            for number, log in enumerate(list(notes.logs)))):
        stack = stacks.setdefault(thread, [])
        what, number = code & (1 << BITS) - 1, code >> BITS
        if what != END:
            stack.append((_PHASES[what], number))
        elif stack:
            stack.pop()
        if not stack:
            del stacks[thread]
        yield (time // 1000, what == END, *_innermost(stacks, thread))


def _of_thread(thread: int, log: notes.Log) -> Iterator[Tuple[int, int, int]]:
    return ((time, thread, code) for time, code in zip(log.times, log.codes))


def _innermost(stacks: Dict[int, List[Tuple[str, int]]], thread: int) -> Tuple[str, int]:
    if thread in stacks:
        return stacks[thread][-1]
    return next(reversed(list(stacks.values())))[-1] if stacks else _OTHER


def _of_device(device: int, trace: List[Any], marks: List[_Mark]) -> Dict[str, Any]:
    times = [entry["time_us"] for entry in trace]
    scans, numbers = _scans_of(device)
    noted = notes.scanned
    scanned = [[bisect_left(times, noted[at] // 1000), numbers[noted[at + 1]]]
               for at in range(0, len(noted) - 1, 2) if noted[at + 1] in numbers]
    for before, row in by_stack.found_in(trace):
        scanned.append([before, len(scans)])
        scans.append([row])
    scanned.sort()
    return {"device": device, "phases": _phases(times, marks), "scans": scans, "scanned": scanned}


def _phases(times: List[int], marks: List[_Mark]) -> List[List[Any]]:
    """An entry is as long before a mark's end, and after its beginning, that it is in its microsecond
    at most."""
    phases: List[List[Any]] = []
    before = list(_OTHER)
    for time, ends, phase, number in marks:
        entry = bisect_right(times, time) if ends else bisect_left(times, time)
        if phases and entry <= phases[-1][0]:
            entry = phases.pop()[0]
            before = phases[-1][1:] if phases else list(_OTHER)
        if before != [phase, number]:
            phases.append([entry, phase, number])
            before = [phase, number]
    return phases


def _scans_of(device: int) -> Tuple[List[List[List[Any]]], Dict[int, int]]:
    """The scans with a storage on the device, and their numbers there by those in the notes."""
    found, numbers = [], {}
    for rows, number in notes.scans.items():
        values = array("q")
        values.frombytes(rows)
        own = [[values[at + 1], values[at + 2], KINDS[values[at + 3]], values[at + 4], values[at + 5]]
               for at in range(0, len(values), WIDTH) if values[at] == device]
        if own:
            numbers[number] = len(found)
            found.append(own)
    return found, numbers
