import inspect
import os
import pickle
import sys

from torch import _C


def _record_memory_history(enabled="all", *args, **kwargs):
    """Begins to record."""
    return _record_memory_history_impl(enabled, *args, **kwargs)


if os.environ.get("FAKE_TORCH_RECORDS_HOST"):

    def _record_memory_history_impl(enabled="all", context="all", stacks="all",
                                    max_entries=sys.maxsize, device=None, clear_history=False,
                                    record_pinned_host_memory=False, record_cuda=True):
        _C._cuda_record_memory_history(enabled, context, stacks, max_entries,
                                       record_pinned_host_memory, record_cuda)

else:

    def _record_memory_history_impl(enabled="all", context="all", stacks="all",
                                    max_entries=sys.maxsize, device=None):
        _C._cuda_record_memory_history(enabled, context, stacks, max_entries)


_record_memory_history.__signature__ = inspect.signature(_record_memory_history_impl)


def _snapshot(device=None):
    return _C._cuda_memorySnapshot()


def _dump_snapshot(filename="dump_snapshot.pickle"):
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)


def mem_get_info(device):
    outside = 64 << 20
    return (1 << 30) - outside - _C.reserved_bytes() + _C.unbacked, 1 << 30


class MemPool:
    """Its ids count up, as those of the real one do."""
    made = 0

    def __init__(self, allocator=None, use_on_oom=False, no_split=False):
        MemPool.made += 1
        self.id = (0, MemPool.made)


def _cuda_beginAllocateToPool(device, pool):
    """A scope."""


def _cuda_endAllocateCurrentStreamToPool(device, pool):
    """Its end."""
