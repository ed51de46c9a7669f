"""Steps of the optimizers: the end after N of them (--steps), a mark each N of them (--mark-every).

A step is counted for each optimizer by itself; the one with the most steps counts.
"""

import ctypes
import os
import threading
import time
import weakref

from vramlab_dry_run import report

_steps_of = weakref.WeakKeyDictionary()
_marks = []


def _asked(name):
    text = os.environ.get("VRAMLAB_DRY_RUN_" + name, "")
    return int(text) if text.isdigit() else 0


def watch():
    last = _asked("STEPS")
    every = _asked("MARK_EVERY")
    from torch.optim import optimizer

    @report.guarded
    def count(stepping):
        _steps_of[stepping] = _steps_of.get(stepping, 0) + 1
        done = max(_steps_of.values())
        is_new = done > report.values.get("steps", 0)
        report.values["steps"] = done
        if is_new and every and done % every == 0:
            _marks.append((done, time.time_ns() // 1000))
        return done

    def after_step(stepping, args, kwargs):
        done = count(stepping)
        if last and done and done >= last:
            report.values["ended_after_steps"] = done
            _end_program()

    optimizer.register_optimizer_step_post_hook(after_step)


def _end_program():
    """In an orderly way: whatever the program does at its end is done."""
    if threading.current_thread() is threading.main_thread():
        raise SystemExit(0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(threading.main_thread().ident), ctypes.py_object(SystemExit))
    raise SystemExit(0)


def add_marks(snapshot):
    """As annotations, which PyTorch's snapshots have beside the history: a range for each mark, from
    the one before it."""
    annotations = snapshot.setdefault("external_annotations", []) if _marks else None
    for device, trace in enumerate(snapshot.get("device_traces", []) if _marks else []):
        began_us = trace[0].get("time_us", _marks[0][1]) if trace else 0
        for number, time_us in _marks if trace else []:
            for stage, moment in (("START", began_us), ("END", time_us)):
                annotations.append({"name": "step %d" % number, "stage": stage, "device": device,
                                    "time_us": moment})
            began_us = time_us
