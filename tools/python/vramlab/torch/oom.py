"""explain_oom(): at an out-of-memory, says why, and what would have helped."""

import os
import sys
import threading
import time
from typing import Any, Callable, Dict, List, Optional

from vramlab import program
from vramlab.program import Limits
from vramlab.torch import labels, oom_text, pytorch
from vramlab.torch.oom_text import Failure

Write = Callable[[str], Any]

_LONGEST_SECONDS = 10.0
#: Left for the end of a child that takes too long.
_SECONDS_TO_SPARE = 1.0
_MOST_MEMORY = 250 << 20
_MOST_EXPLAINED = 3


_explaining: List["Explainer"] = []


class Explainer:
    """Called by PyTorch at each failed request. Its own errors are one line."""

    def __init__(self, folder: str, write: Optional[Write]) -> None:
        self._folder = folder
        self._write = write
        self._count = 0
        self._lock = threading.Lock()

    def change(self, folder: str, write: Optional[Write]) -> None:
        """Explanations go elsewhere from now on."""
        self._folder = folder
        self._write = write

    def __call__(self, device: int, requested: int, total: int, free: int) -> None:
        begin = time.monotonic()
        # Another thread's failure is not explained at the same time.
        if not self._lock.acquire(blocking=False):
            return
        try:
            self._count += 1
            failure = Failure(device, requested, pytorch.calling_place())
            self._say(self._lines(failure, Limits(begin + _LONGEST_SECONDS - _SECONDS_TO_SPARE,
                                                  _MOST_MEMORY)))
        except Exception as error:  # pylint: disable=broad-except
            self._say([f"vramlab: the out-of-memory is not explained: {_one_line(error)}"])
        finally:
            self._lock.release()

    def _say(self, lines: List[str]) -> None:
        try:
            (self._write or sys.stderr.write)("\n".join(lines[:oom_text.MOST_LINES]) + "\n")
        except Exception:  # pylint: disable=broad-except
            # Nobody is left to be told.
            pass

    def _lines(self, failure: Failure, limits: Limits) -> List[str]:
        headline = oom_text.headline(failure)
        if self._count > _MOST_EXPLAINED:
            return [headline]
        try:
            snapshot = labels.labelled_snapshot() if labels.is_on() else pytorch.snapshot()
            event = _last_failure(snapshot, failure.device)
            path = self._keep(snapshot, f"vramlab-oom-{os.getpid()}-{self._count}.pickle")
            del snapshot
        except Exception as error:  # pylint: disable=broad-except
            return [headline, f"  (the recording is not kept: {_one_line(error)})"]
        return self._findings(failure, path, event, limits)

    def _keep(self, snapshot: Dict[str, Any], name: str) -> str:
        """In the folder, or where that cannot be written to, in that of temporary files."""
        path = os.path.join(self._folder, name)
        try:
            pytorch.write(snapshot, path)
        except OSError:
            import tempfile

            path = os.path.join(tempfile.gettempdir(), name)
            pytorch.write(snapshot, path)
        return path

    def _findings(self, failure: Failure, path: str, event: int, limits: Limits) -> List[str]:
        """As much as can be found in time; each question by itself."""

        def asked(command: str, **options: Any) -> Dict[str, Any]:
            return program.ask(command, [path], options, limits=limits)

        try:
            lines = oom_text.answer(asked("explain", at=event, device=failure.device), failure)
        except Exception as error:  # pylint: disable=broad-except
            lines = [oom_text.headline(failure), f"  (vramlab explain: {_one_line(error)})"]
        lines += oom_text.kept("recording", path)
        page = path[:-len(".pickle")] + ".html"
        try:
            asked("report", output=page, force=True)
        except Exception as error:  # pylint: disable=broad-except
            return [*lines, f"  (vramlab report: {_one_line(error)})"]
        return lines + oom_text.kept("report", page)


def _last_failure(snapshot: Dict[str, Any], device: int) -> int:
    trace = snapshot["device_traces"][device]
    for event in range(len(trace) - 1, -1, -1):
        if trace[event]["action"] == "oom":
            return event
    raise RuntimeError("PyTorch's history has no out-of-memory")


def _one_line(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def explain_oom(
    folder: str = ".",
    *,
    max_entries: int = 100_000,
    stacks: str = "python",
    write: Optional[Write] = None,
    kinds: bool = False,
) -> None:
    """From now on, an out-of-memory is explained on standard error, or by `write`, as `vramlab
    explain` does it: what was asked for and by which line, who holds most, what strands free
    memory, which option string would have passed, and which GPU is large enough. The recording and a report are kept in `folder`, or with the temporary files if it
    cannot be written to.

    It switches PyTorch's recording of memory on, unless it is on already, with the last
    `max_entries` events and the stacks of Python (`stacks="all"` adds those of C++). Without CUDA
    it does nothing. The first three failures are explained; of others, only the request is told.
    `kinds` also notes what blocks of memory hold and which module asked for them, for the recording.
    """

    if kinds:
        labels.begin()
    if _explaining:
        # PyTorch keeps an observer for ever, so there is one.
        _explaining[0].change(folder, write)
        return
    explainer = Explainer(folder, write)
    _explaining.append(explainer)

    def begin() -> None:
        if not pytorch.is_recording():
            pytorch.begin_recording(max_entries, stacks)
        pytorch.watch_failures(explainer)

    pytorch.when_cuda_is_up(begin)
