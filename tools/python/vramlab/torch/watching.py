"""watch(): memory each so many steps, with a warning if it grows from one to the next."""

import sys
from typing import Any, Callable, Dict, Optional
from weakref import WeakKeyDictionary

from vramlab.torch import pytorch
from vramlab.values import size_text

#: Called with a name, a value and the step, as SummaryWriter.add_scalar is.
Scalars = Callable[[str, float, int], Any]
Log = Callable[[str], Any]

_GROWTHS_TO_WARN = 3
_LEAST_GROWTH = 1 << 20


class Watch:
    """Tells figures of memory at each `every`-th step."""

    def __init__(self, every: int, log: Optional[Log], scalars: Optional[Scalars],
                 device: Optional[int]) -> None:
        if every < 1:
            raise ValueError(f"every: expected a number from 1 on, found {every}")
        self._every = every
        self._log = log
        self._scalars = scalars
        self._device = device
        self._held: Optional[int] = None
        self._growths = 0
        self._handle: Any = None
        self._steps: "WeakKeyDictionary[Any, int]" = WeakKeyDictionary()

    def note(self, step: int) -> None:
        """Tells the figures if they are due at this step."""
        if step % self._every != 0:
            return
        statistics = pytorch.statistics(self._device)
        if not statistics:
            return
        figures = {
            "peak_allocated": statistics["allocated_bytes.all.peak"],
            "peak_reserved": statistics["reserved_bytes.all.peak"],
            "allocated": statistics["allocated_bytes.all.current"],
            "reserved": statistics["reserved_bytes.all.current"],
            "stranded": statistics["inactive_split_bytes.all.current"],
        }
        self._tell(step, figures)

    def _tell(self, step: int, figures: Dict[str, int]) -> None:
        if self._scalars:
            for name, value in figures.items():
                self._scalars(f"vramlab/{name}", float(value), step)
        texts = ", ".join(f"{name.replace('_', ' ')} {size_text(value)}"
                          for name, value in figures.items())
        self._say(f"vramlab: step {step}: {texts}")
        self._warn_of_growth(step, figures["allocated"])

    def _warn_of_growth(self, step: int, held: int) -> None:
        grown = held - self._held if self._held is not None else 0
        self._growths = self._growths + 1 if grown >= _LEAST_GROWTH else 0
        self._held = held
        if self._growths >= _GROWTHS_TO_WARN:
            self._say(f"vramlab: allocated memory grew for the {self._growths}th time in a row, by "
                      f"{size_text(grown)} in {self._every} steps up to step {step}; "
                      "rec.growth() of a recording finds the lines")

    def _say(self, text: str) -> None:
        if self._log:
            self._log(text)
        else:
            print(text, file=sys.stderr)

    def start(self) -> None:
        """Counts the steps of each optimizer; the one with the most counts."""
        self._handle = pytorch.after_each_step(self._after_step)

    def _after_step(self, optimizer: Any, *_: Any) -> None:
        before = max(self._steps.values(), default=0)
        self._steps[optimizer] = self._steps.get(optimizer, 0) + 1
        if self._steps[optimizer] > before:
            self.note(self._steps[optimizer])

    def stop(self) -> None:
        """Counts no more."""
        if self._handle is not None:
            self._handle.remove()
            self._handle = None


def watch(
    every: int = 100,
    *,
    log: Optional[Log] = None,
    scalars: Optional[Scalars] = None,
    device: Optional[int] = None,
) -> Watch:
    """Each `every` steps of an optimizer, tells peak, reserved and stranded memory of all devices,
    or of one, on standard error or by `log`, and warns if allocated memory keeps growing.

    `scalars` is called with a name, a value and the step: `SummaryWriter().add_scalar`, or
    `lambda name, value, step: wandb.log({name: value}, step=step)`.
    """
    watching = Watch(every, log, scalars, device)
    watching.start()
    return watching
