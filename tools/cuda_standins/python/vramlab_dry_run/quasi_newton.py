"""torch.optim.LBFGS reads in each step how large gradients are and how the loss falls. By zeros it would
end each step at once, and would keep none of the directions that are most of its memory. So it goes on,
and its loss falls from one iteration to the next, until after some hundred it falls no longer.
"""

import linecache
import os

from vramlab_dry_run import place

_FILE = os.path.join("torch", "optim", "lbfgs.py")
# Under a default device each operation is called from there.
_DEFAULT_DEVICE = os.path.join("torch", "utils", "_device.py")
_OWN_FOLDER = os.path.dirname(__file__)

# The answers to its questions, by a part of the line in which it asks: whether it has converged, whether the
# last direction is to be kept, whether the next one leads nowhere, and whether a step is too small.
_ANSWERS = (("opt_cond", 0), ("ys > ", 1), ("gtd > ", 0), (".max() <= ", 0))

# The loss of an iteration by the one before: below its usual tolerance after 110, when its usual history of
# 100 directions is full.
_FALL = 0.85


def answer(count, frame):
    """The value that it reads now; None where it is not this optimizer that reads."""
    while frame is not None and (os.path.dirname(frame.f_code.co_filename) == _OWN_FOLDER or
                                 frame.f_code.co_filename.endswith(_DEFAULT_DEVICE)):
        frame = frame.f_back
    if frame is None or not frame.f_code.co_filename.endswith(_FILE):
        return None
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    if count == 1:
        return next((number for part, number in _ANSWERS if part in line), None)
    return _loss(frame) if "float(" in line and count in (2, 4, 8) else None


def _loss(frame):
    """The line search reads it, too, in a function that the step calls."""
    while frame.f_code.co_name != "step":
        frame = frame.f_back
    [state] = place.variables_of(frame, "state")
    return _FALL ** state["n_iter"]
