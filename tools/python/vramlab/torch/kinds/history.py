"""The document of marks and scans beside a history, whose entries say where they belong."""

import heapq
from array import array
from bisect import bisect_left, bisect_right
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Tuple

from . import by_stack, modules, notes
from .notes import BITS, END, FORWARD, INFERENCE, RECOMPUTED
from .storages import KINDS, WIDTH

KEY = "vramlab_kinds"
_FORMAT = 1
_PHASES = ("other", "forward", "inference", "recomputed", "backward", "step")
_OTHER = (END, 0)
_OF_MODULES = (FORWARD, INFERENCE, RECOMPUTED)
#: Clocks differ by less, and a mark is not farther from what it is about.
_NEAR_US = 2
_FILE_OF_CALLS = "torch/nn/modules/module.py"


class _Mark(NamedTuple):
    """A mark with what it leaves behind, and how many calls of modules its thread is in before and after."""

    time_us: int
    ends: bool
    phase: int
    number: int
    calls_before: int
    calls_after: int


_Stack = List[Tuple[int, int]]


def document(snapshot: Dict[str, Any]) -> Dict[str, Any]:
    """For a snapshot with PyTorch's history, of which the beginning may be missing."""
    marks = list(_marks())
    devices = [_of_device(device, trace, marks)
               for device, trace in enumerate(snapshot.get("device_traces", [])) if trace]
    names = _used_names(devices)
    return {"format": _FORMAT, "phases": list(_PHASES), "kinds": list(KINDS), "names": names,
            "devices": [_as_texts(of_device) for of_device in devices],
            "troubles": list(notes.troubles)}


def _as_texts(of_device: Dict[str, Any]) -> Dict[str, Any]:
    """Rows as texts of numbers: a million of them as lists would take hundreds of megabytes to read."""
    return {"device": of_device["device"], "marks": _text_of(of_device["phases"]),
            "scans": [_text_of(scan) for scan in of_device["scans"]],
            "scanned": _text_of(of_device["scanned"])}


def _text_of(rows: Iterable[Iterable[int]]) -> str:
    return " ".join(str(number) for row in rows for number in row)


def _used_names(devices: List[Dict[str, Any]]) -> List[str]:
    """Numbers of names become places in this list; the first name is empty."""
    names = modules.names()
    used = {"": 0}
    for of_device in devices:
        for first, rows in ((2, of_device["phases"]), *((3, scan) for scan in of_device["scans"])):
            for row in rows:
                row[first:] = [used.setdefault(names[number], len(used)) for number in row[first:]]
    return list(used)


def _marks() -> Iterator[_Mark]:
    """In the order of their times. A thread that is in nothing goes on with what another thread is in,
    which waits for it."""
    stacks: Dict[int, _Stack] = {}
    calls: Dict[int, int] = {}
    for time, thread, code in heapq.merge(*(_of_thread(number, log)
                                            for number, log in enumerate(list(notes.logs)))):
        stack = stacks.setdefault(thread, [])
        before = calls.get(thread, 0)
        phase = code & (1 << BITS) - 1
        if phase:
            number = code >> BITS
            if modules.is_made_by_compiler(number):
                number = stack[-1][1] if stack else 0
            stack.append((phase, number))
            calls[thread] = before + (phase in _OF_MODULES)
        elif stack:
            calls[thread] = before - (stack.pop()[0] in _OF_MODULES)
        if not stack:
            del stacks[thread]
        yield _Mark(time // 1000, not phase, *_innermost(stacks, thread), before, calls.get(thread, 0))


def _of_thread(thread: int, log: notes.Log) -> Iterator[Tuple[int, int, int]]:
    return ((time, thread, code) for time, code in zip(log.times, log.codes))


def _innermost(stacks: Dict[int, _Stack], thread: int) -> Tuple[int, int]:
    if thread in stacks:
        return stacks[thread][-1]
    return list(stacks.values())[-1][-1] if stacks else _OTHER


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
    return {"device": device, "phases": _phases(trace, times, marks), "scans": scans, "scanned": scanned}


def _phases(trace: List[Any], times: List[int], marks: List[_Mark]) -> List[List[int]]:
    """The last mark of each place."""
    phases: List[List[int]] = []
    before = list(_OTHER)
    for mark in marks:
        entry = _place_of(mark, trace, times)
        if phases and entry <= phases[-1][0]:
            entry = phases.pop()[0]
            before = phases[-1][1:] if phases else list(_OTHER)
        now = [mark.phase, mark.number]
        if before != now:
            phases.append([entry, *now])
            before = now
    return phases


def _place_of(mark: _Mark, trace: List[Any], times: List[int]) -> int:
    """By the clock; an entry so near that the clocks may differ tells by its stack on which side it is."""
    find = bisect_right if mark.ends else bisect_left
    place = find(times, mark.time_us)
    if mark.calls_before == mark.calls_after:
        return place
    while place and times[place - 1] >= mark.time_us - _NEAR_US and \
            _calls_in(trace[place - 1]) == mark.calls_after:
        place -= 1
    while place < len(times) and times[place] <= mark.time_us + _NEAR_US and \
            _calls_in(trace[place]) == mark.calls_before:
        place += 1
    return place


def _calls_in(entry: Dict[str, Any]) -> int:
    """How many calls of modules an entry's stack has; -1 if it has no frame of Python."""
    frames = entry.get("frames", ())
    count = sum(frame["name"] == "_call_impl" and frame["filename"].endswith(_FILE_OF_CALLS)
                for frame in frames)
    return count if count or any(frame["filename"].endswith(".py") for frame in frames) else -1


def _scans_of(device: int) -> Tuple[List[List[List[int]]], Dict[int, int]]:
    """The scans with a storage on the device, and their numbers there by those in the notes."""
    found: List[List[List[int]]] = []
    numbers: Dict[int, int] = {}
    for rows, number in notes.scans.items():
        values = array("q")
        values.frombytes(rows)
        own = [values[at + 1:at + WIDTH].tolist()
               for at in range(0, len(values), WIDTH) if values[at] == device]
        if own:
            numbers[number] = len(found)
            found.append(own)
    return found, numbers
