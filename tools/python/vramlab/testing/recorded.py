"""A test whose GPU memory is recorded."""

import gc
import hashlib
import re
from typing import Any, List, Optional, Tuple

from vramlab.recording import Recording
from vramlab.scratch import Scratch

_MAX_ENTRIES = 1_000_000
_LONGEST_NAME = 150
#: The key of a snapshot under which it names its test; `vramlab info` shows it.
_TEST_KEY = "vramlab_test"


def has_cuda() -> bool:
    """Whether there is a GPU, or a dry run's. A torch that does not import is the test's affair."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


class RecordedTest:
    """From its begin to its end. Memory that nobody uses is released before."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.recording: Optional[Recording] = None
        #: What the report of the test says beside its outcome.
        self.notes: List[Tuple[str, str]] = []
        self.grown_bytes = 0
        self._held_before = 0
        self._was_on = False
        self._scratch = Scratch()

    @property
    def file_name(self) -> str:
        """A name for files, of letters that every system takes, and of no other test."""
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", self.name).strip("-")
        if "[" in self.name or len(plain) > _LONGEST_NAME:
            # Parameters may differ in other letters alone.
            own = hashlib.sha256(self.name.encode("utf-8", "replace")).hexdigest()[:8]
            plain = f"{plain[:_LONGEST_NAME]}-{own}"
        return plain + ".pickle"

    def begin(self) -> None:
        """Begins to record."""
        import torch

        from vramlab.torch import pytorch

        torch.cuda.init()
        gc.collect()
        torch.cuda.empty_cache()
        self._held_before = _held()
        self._was_on = pytorch.is_recording()
        if not self._was_on:
            pytorch.begin_recording(_MAX_ENTRIES, "all")

    def end(self) -> None:
        """Keeps the recording."""
        gc.collect()
        self.grown_bytes = _held() - self._held_before
        self.recording = self.up_to_now()
        self.stop()

    def stop(self) -> None:
        """Records no more."""
        from vramlab.torch import pytorch

        if not self._was_on:
            pytorch.end_recording()

    def up_to_now(self) -> Recording:
        """The recording from the begin up to now."""
        from vramlab.torch import pytorch

        path = self._scratch.file(self.file_name)
        pytorch.write({**pytorch.snapshot(), _TEST_KEY: self.name}, path)
        found = Recording(path)
        # The file lives as long as the recording.
        found._scratch = self._scratch
        return found


def _held() -> int:
    from vramlab.torch import pytorch

    return pytorch.statistics().get("allocated_bytes.all.current", 0)


def event_count(recording: Recording) -> int:
    """The events of the device that has most; 0 if no GPU memory was asked for or freed."""
    return max([0, *(device.events for device in recording.info.devices)])


def peak_reserved(recording: Recording) -> int:
    """The peak of reserved memory of the device that has most, as it was recorded; 0 without events."""
    if event_count(recording) == 0:
        return 0
    # A single event is no history, and its file has the final state alone.
    return max(device.peak_reserved_bytes if device.peak_reserved_bytes is not None
               else device.segments.reserved_bytes for device in recording.info.devices)


def all_events(recording: Recording) -> Any:
    """The first and the last event of the device that has most, for `top --between`."""
    return [0, max(1, event_count(recording)) - 1]
