"""record(): the memory history of a part of a program."""

import contextlib
import os
import warnings
from typing import Any, Optional

from vramlab.program import Path
from vramlab.recording import Recording
from vramlab.torch import labels, pytorch


class record(contextlib.ContextDecorator):  # pylint: disable=invalid-name
    """Records the memory history of a block or of a function:

        with vramlab.torch.record("run.pickle") as r:
            train()
        r.recording.advise().setting

        @vramlab.torch.record("run.pickle")
        def train(): ...

    The file is written at the end, after an error too. A recording that is on already goes on, and
    the file has all of it. `kinds` also notes what blocks of memory hold and which module asked for
    them.
    """

    def __init__(self, output: Path, *, max_entries: int = 1_000_000, stacks: str = "all",
                 kinds: bool = False) -> None:
        self.output = os.fspath(output)
        self._max_entries = max_entries
        self._stacks = stacks
        self._kinds = kinds
        self._was_on = False
        self._recording: Optional[Recording] = None

    def __enter__(self) -> "record":
        self._recording = None
        self._was_on = pytorch.is_recording()
        if not self._was_on:
            pytorch.begin_recording(self._max_entries, self._stacks)
        if self._kinds:
            labels.begin()
        return self

    def __exit__(self, *raised: Any) -> None:
        try:
            snapshot = labels.labelled_snapshot() if self._kinds else pytorch.snapshot()
            pytorch.write(snapshot, self.output)
        except Exception as error:  # pylint: disable=broad-except
            if raised[0] is None:
                raise
            # The program's own error is the one that it waits for.
            warnings.warn(f"{self.output} is not written: {type(error).__name__}: {error}", stacklevel=2)
        finally:
            if self._kinds:
                labels.end()
            if not self._was_on:
                pytorch.end_recording()

    @property
    def recording(self) -> Recording:
        """The recording, when the block is over."""
        if self._recording is None:
            self._recording = Recording(self.output)
        return self._recording
