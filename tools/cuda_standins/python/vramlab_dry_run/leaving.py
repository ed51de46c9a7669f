"""Ranks of a job leave after each other. On a GPU a rank waits in collectives for the others; here it
may be through before they have found the store in which all of them meet, and that store is part of
the first rank. So the first rank leaves last. Before that, each rank says that it sends nothing more.
"""

import ctypes
import functools
import os
import time

from vramlab_dry_run import alone, report

# The others may have crashed.
_LONGEST_WAIT = 60.0
_KEY = "vramlab/left"

# The store, the rank and the number of ranks, once they have met.
_met = []


@report.guarded
def watch(c10d):
    if alone.is_asked_for():
        return
    start = c10d.init_process_group

    @functools.wraps(start)
    def init_process_group(*args, **kwargs):
        start(*args, **kwargs)
        report.guarded(_note)(c10d)

    c10d.init_process_group = init_process_group


def _note(c10d):
    """Kept, as a program may forget its groups before it ends."""
    _met[:] = [(c10d._get_default_store(), c10d.get_rank(), c10d.get_world_size())]


def leave():
    """An error here is no trouble: the others left first, and the store went with them."""
    _send_nothing_more()
    for store, rank, count in _met:
        try:
            if rank != 0:
                store.add(_KEY, 1)
            else:
                _wait_for_others(store, count - 1)
        except Exception:
            return


def _send_nothing_more():
    """Others would wait for values of this rank as long as its process is there."""
    try:
        nccl = ctypes.CDLL("libnccl.so.2", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        nccl.vramlab_dry_run_leave_ranks()
    except (OSError, AttributeError):
        pass  # A program with an NCCL of its own has no values for others.


def _wait_for_others(store, count):
    end = time.monotonic() + _LONGEST_WAIT
    while store.add(_KEY, 0) < count and time.monotonic() < end:
        time.sleep(0.01)
