from torch import _C


def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=0):
    _C.recorded.append({"enabled": enabled, "stacks": stacks, "max_entries": max_entries})


def _snapshot():
    return _C.snapshot()
