"""--values-from: a function of the user's answers what the program reads of a GPU's values.

The file defines `values(read)`. It is called at each copy to the host whose values nobody knows, and
returns them, or None for what --values says: a number, a list of numbers, or bytes. A number is as
wide as the copy (1, 2, 4 or 8 bytes), or as what a copy of several numbers is made of; each number of
a list is as wide as the copy divided by their count.
"""

import collections
import ctypes
import os
import runpy
import struct
import sys
import threading

from vramlab_dry_run import (callbacks, computed, generation, place, quasi_newton, report, sizes, vllm_steps,
                             waiting)

_FLOATS = {2: "e", 4: "f", 8: "d"}

# The place where the program reads: its innermost frame outside PyTorch, how many bytes, and how
# often it has read there before.
Read = collections.namedtuple("Read", "file line function bytes times")

# Answers to the driver: the bytes are made up, were given by the user or by a rule, or are those of a
# GPU.
_MADE_UP, _GIVEN, _AS_ON_A_GPU = range(3)

# A copy to the host: its place there, how many bytes, and where they are on the device.
_Copy = collections.namedtuple("_Copy", "at count source")

# A yes or no, or a number.
_MOST_BYTES_OF_A_NO = 8
_BYTES_OF_A_COUNT = (4, 8)

_times = collections.Counter()
_now = threading.local()


def watch():
    path = os.environ.get("VRAMLAB_DRY_RUN_VALUES_FROM")
    answer = _function_of(path) if path else None
    kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_ulong, ctypes.c_ulonglong)

    def fill(at, count, source):
        try:
            # A frame that is kept in itself would keep the program's tensors.
            filled = _fill(answer, _Copy(at, count, source), sys._getframe(0))
            if filled == _MADE_UP:
                waiting.note_read(_now.made_up_at)
            return filled
        except Exception as error:  # No exception may get into C.
            report.trouble("values_from", error)
            return 0

    callbacks.give("vramlab_dry_run_set_values", kind, fill)


def _function_of(path):
    """A file that can't be used ends the program: it would go on with other values."""
    try:
        answer = runpy.run_path(path).get("values")
    except Exception as error:
        sys.exit("vramlab: --values-from %s: %s: %s" % (path, type(error).__name__, error))
    if not callable(answer):
        sys.exit("vramlab: --values-from %s: expected a function `values`, found none" % path)
    return answer


def _fill(answer, copy, frame):
    if getattr(_now, "is_answering", False):
        return _made_up_at(place.place_of(frame))
    _now.is_answering = True
    try:
        # Sizes of objects that ranks send each other.
        objects = sys.modules.get("vramlab_dry_run.objects")
        size = objects.answer(copy.count) if objects else None
        if size is not None:
            ctypes.memmove(copy.at, _number(size, copy.count), copy.count)
            return _AS_ON_A_GPU if objects.are_those_of_others() else _GIVEN
        before = ctypes.string_at(copy.at, copy.count) if copy.count <= _MOST_BYTES_OF_A_NO else b""
        known = computed.answer(copy.at, copy.count, copy.source)
        if known == computed.FOUND:
            return _AS_ON_A_GPU
        read_at = place.place_of(frame)
        if known == computed.KNOWN and not _is_waited_for(copy, before, read_at):
            return _AS_ON_A_GPU
        given = _given(answer, copy.count, read_at) if answer else None
        if given is None:
            given = _given_by_rule(copy, frame)
        if given is None:
            if known == computed.MADE_UP:
                _is_waited_for(copy, before, read_at)
            elif copy.count in _BYTES_OF_A_COUNT and computed.is_asking():
                _find_one(copy, before, read_at)
            if copy.count in _BYTES_OF_A_COUNT and computed.is_of_size():
                sizes.note(read_at, not any(ctypes.string_at(copy.at, copy.count)), frame)
            return _made_up_at(read_at)
        ctypes.memmove(copy.at, _bytes_of(given, copy.count), copy.count)
        computed.note_given()
        return _GIVEN
    finally:
        _now.is_answering = False


def _made_up_at(read_at):
    _now.made_up_at = read_at
    return _MADE_UP


def _given_by_rule(copy, frame):
    """Libraries go on by it as on a GPU."""
    given = None
    if "transformers.generation.utils" in sys.modules:
        given = generation.answer(copy.count, frame)
    if given is None and "torch.optim.lbfgs" in sys.modules:
        given = quasi_newton.answer(copy.count, frame)
    if given is None and "vllm.v1.worker.gpu.async_utils" in sys.modules:
        given = vllm_steps.answer(copy.source, frame)
    return given


def _is_waited_for(copy, before, read_at):
    """Whether a loop waits in vain for a yes, as it depends on others that are made up. Then the bytes
    are as they were before the answer."""
    if not before:
        return False
    is_no = not any(ctypes.string_at(copy.at, copy.count))
    if not waiting.note_answer(read_at, is_no):
        return False
    ctypes.memmove(copy.at, before, copy.count)
    return True


def _find_one(copy, found, read_at):
    """One thing found, for a loop that waits in vain for an operation to find something."""
    if not any(found) and waiting.note_none(read_at):
        ctypes.memmove(copy.at, _number(1, copy.count), copy.count)


def _given(answer, count, read_at):
    read = Read(*read_at, count, _times[read_at])
    _times[read_at] += 1
    return answer(read)


def _bytes_of(given, count):
    if isinstance(given, (bool, int, float)):
        width = count if count in (1, 2, 4, 8) else next(w for w in (8, 4, 2, 1) if count % w == 0)
        return _number(given, width) * (count // width)
    if isinstance(given, (list, tuple)):
        if not given or count % len(given) or count // len(given) not in (1, 2, 4, 8):
            raise ValueError("%d numbers were given for %d bytes" % (len(given), count))
        return b"".join(_number(number, count // len(given)) for number in given)
    data = bytes(memoryview(given).cast("B"))
    if len(data) != count:
        raise ValueError("%d bytes were given for %d" % (len(data), count))
    return data


def _number(number, width):
    if isinstance(number, float):
        if width not in _FLOATS:
            raise ValueError("%r was given for a number of %d bytes" % (number, width))
        return struct.pack("<" + _FLOATS[width], number)
    return (int(number) & ((1 << (8 * width)) - 1)).to_bytes(width, "little")
