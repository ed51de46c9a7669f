"""The recording that a program makes by itself, as it sees it, while ours goes on beneath."""

import sys
import time

_SETTINGS = ("context", "stacks", "max_entries", "device", "clear_history", "compile_context",
             "global_record_annotations", "skip_actions", "record_pinned_host_memory",
             "record_cuda")


class ProgramsRecording:
    def __init__(self, record, context, ours):
        """`context` and `ours`: arguments of our recording, which goes on with those of the program."""
        self._record = record
        self._context = context
        self._ours = ours
        # Since when it records a history, in PyTorch's clock; None while it does not.
        self._since_us = None
        self._most_entries = sys.maxsize
        self._has_devices = True
        self._has_host = False

    def record(self, enabled="all", *args, **kwargs):
        """In place of torch.cuda.memory._record_memory_history, with the same arguments."""
        if enabled is None or enabled is False:
            self._since_us = None
            return None
        if enabled is True:
            return self._record_as_of_old(*args, **kwargs)
        settings = dict(zip(_SETTINGS, args))
        settings.update(kwargs)
        self._begin(enabled == "all", settings.pop("max_entries", sys.maxsize),
                    settings.pop("clear_history", False))
        settings["context"] = self._context
        if self._ours:
            self._has_host = bool(settings.pop("record_pinned_host_memory", False))
            self._has_devices = bool(settings.pop("record_cuda", True))
        return self._record("all", max_entries=sys.maxsize, **settings, **self._ours)

    def _record_as_of_old(self, record_context=True, trace_alloc_max_entries=1, *_, **__):
        """The arguments of PyTorch 2.0, which newer versions take as well."""
        self._begin(True, trace_alloc_max_entries, False)

    def _begin(self, has_history, most_entries, clears):
        self._most_entries = most_entries
        if not has_history:
            self._since_us = None
        elif self._since_us is None or clears:
            self._since_us = time.time_ns() // 1000

    def shown(self, snapshot):
        """The snapshot with no more history than the program asked for."""
        for trace in snapshot.get("device_traces", []):
            trace[:] = self._own_part(trace) if self._has_devices else []
        if "host_traces" in snapshot:
            entries = snapshot["host_traces"]
            entries[:] = self._own_part(entries) if self._has_host else []
        if not self._has_host and "host_segments" in snapshot:
            snapshot["host_segments"].clear()
        return snapshot

    def _own_part(self, trace):
        if self._since_us is None or self._most_entries <= 0:
            return []
        first = 0
        while first < len(trace) and trace[first].get("time_us", self._since_us) < self._since_us:
            first += 1
        return trace[max(first, len(trace) - self._most_entries):]
