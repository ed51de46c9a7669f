"""torch.optim.LBFGS reads in each step how large gradients are and how the loss falls. By zeros it would
end each step at once, and would keep none of the directions that are most of its memory. So it never
comes to its end before its limits, and its loss falls a little each time.
"""

import itertools
import linecache
import os

_FILE = os.path.join("torch", "optim", "lbfgs.py")
_OWN_FOLDER = os.path.dirname(__file__)

# The answers to its questions, by a part of the line in which it asks: whether it has converged, whether the
# last direction is to be kept, whether the next one leads nowhere, and whether a step is too small.
_ANSWERS = (("opt_cond", 0), ("ys > ", 1), ("gtd > ", 0), (".max() <= ", 0))

_losses_read = itertools.count(1)


def answer(count, frame):
    """The value that it reads now; None where it is not this optimizer that reads."""
    while frame is not None and os.path.dirname(frame.f_code.co_filename) == _OWN_FOLDER:
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.endswith(_FILE):
        return None
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if count == 1:
        return next((number for part, number in _ANSWERS if part in line), None)
    return 1 / next(_losses_read) if "float(" in line and count in (2, 4, 8) else None
