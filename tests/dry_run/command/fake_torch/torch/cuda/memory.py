import pickle
import sys

from torch import _C


def _record_memory_history(enabled="all", *args, **kwargs):
    """Begins to record."""
    return _record_memory_history_impl(enabled, *args, **kwargs)


def _record_memory_history_impl(enabled="all", context="all", stacks="all",
                                max_entries=sys.maxsize, device=None):
    _C._cuda_record_memory_history(enabled, context, stacks, max_entries)


def _snapshot(device=None):
    return _C._cuda_memorySnapshot()


def _dump_snapshot(filename="dump_snapshot.pickle"):
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)
