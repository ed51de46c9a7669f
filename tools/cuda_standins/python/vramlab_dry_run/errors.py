"""Errors that end a program: whether a value that was read may have led to one, and how it is shown."""

import pickle
import re
import sys

from vramlab_dry_run import place, report

# Errors of a program's text, of what is installed and of files' contents.
_OF_TEXT = (ImportError, ModuleNotFoundError, NameError, SyntaxError, IndentationError, TabError,
            pickle.UnpicklingError)
# Calls without what they need or with more, names that an object does not have, and types that do not fit.
_LACKS = re.compile(r"unexpected keyword argument|required (positional|keyword-only) argument|"
                    r"positional arguments? but|takes (no|exactly one) arguments?|device type tensor to numpy|"
                    r"^(?!'NoneType').*has no attribute|result type \w+ can't be cast")


def note(error):
    report.values["error"] = {"type": type(error).__name__, "place": place.of_error(error),
                              "may_come_from_values": _may_come_from_values(error)}


def _may_come_from_values(error):
    if type(error) in _OF_TEXT:
        return False
    return not (isinstance(error, (AttributeError, TypeError, RuntimeError)) and _LACKS.search(str(error)))


def show_without_own_frames():
    """Operations that are computed go through functions of ours, which say nothing of an error in one."""
    show = sys.excepthook

    def excepthook(kind, error, traceback):
        report.guarded(_leave_out_own_frames)(error)
        show(kind, error, getattr(error, "__traceback__", traceback))

    sys.excepthook = excepthook


def _leave_out_own_frames(error):
    """Errors that led to it, or came before it, are shown with it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        error.__traceback__ = _without_own(error.__traceback__)
        error = error.__cause__ or error.__context__


def _without_own(traceback):
    steps = []
    while traceback is not None:
        steps.append(traceback)
        traceback = traceback.tb_next
    kept = [step for step in steps if not place.is_own(step.tb_frame.f_code.co_filename)]
    for step, following in zip(kept, kept[1:] + [None]):
        step.tb_next = following
    return kept[0] if kept else None
