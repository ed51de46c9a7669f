"""Sizes that follow from made-up values: places at which an operation of PyTorch's chose elements by them, as
by a mask or `nonzero()`, and the result has as many. Memory of it may be more or less on a GPU.
"""

from vramlab_dry_run import place, report

# Places that are told.
_MOST_PLACES = 1000

# By place: how often, and how often nothing was chosen.
_found = report.values.setdefault("sizes", {})


def note(at, is_none, frame=None):
    """`frame`: the innermost one."""
    if _prints_a_tensor(frame):
        return
    text = place.text_of(at)
    if len(_found) < _MOST_PLACES or text in _found:
        counts = _found.setdefault(text, [0, 0])
        counts[0] += 1
        counts[1] += is_none


def _prints_a_tensor(frame):
    """Its own choice of digits asks which numbers are finite."""
    while frame is not None:
        filename = frame.f_code.co_filename
        if filename.endswith("_tensor_str.py"):
            return True
        if not place.is_own(filename) and not place.is_of_library(filename):
            return False
        frame = frame.f_back
    return False
