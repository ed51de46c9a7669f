"""`%%vramlab` in IPython and Jupyter: a cell's memory, after `%load_ext vramlab`."""

import html
import shlex
from typing import Any, Dict, Optional

from vramlab.recording import Recording
from vramlab.scratch import Scratch
from vramlab.values import size_text


class CellMemory:
    """A cell's GPU memory. `recording` is its recording, for every other question."""

    def __init__(self, recording: Recording, held_before: int, held_after: int) -> None:
        self.recording = recording
        self.growth_bytes = held_after - held_before
        replay = recording.replay()
        self.peak_allocated: int = replay.peak_allocated
        self.peak_reserved: int = replay.peak_reserved
        #: As `rec.explain()` gives it.
        self.explanation = recording.explain()

    def __repr__(self) -> str:
        return "\n".join([self._figures(), self.explanation.text.rstrip("\n")])

    def _figures(self) -> str:
        sign = "-" if self.growth_bytes < 0 else "+"
        return (f"peak allocated {size_text(self.peak_allocated)}, peak reserved {size_text(self.peak_reserved)}, "
                f"{sign}{size_text(abs(self.growth_bytes))} held after the cell")

    def _repr_html_(self) -> str:
        from vramlab.notebook import curve_svg

        pictures = [curve_svg(device["curve"]["reserved_bytes"], device["curve"]["allocated_bytes"],
                              f"GPU {device['device']}")
                    for device in self.recording.replay()["devices"] if device["curve"]]
        text = html.escape(self.explanation.text)
        return f"<b>{html.escape(self._figures())}</b>{''.join(pictures)}<pre>{text}</pre>"


def load_ipython_extension(ipython: Any) -> None:
    """Registers the magic: `%load_ext vramlab` calls it."""
    def vramlab_cell(line: str, cell: str) -> Optional[CellMemory]:
        return run_cell(ipython, line, cell)

    ipython.register_magic_function(vramlab_cell, "cell", "vramlab")


def run_cell(ipython: Any, line: str, cell: str) -> Optional[CellMemory]:
    """Runs the cell and records it; `-o FILE` keeps the recording. A cell that fails shows its error, and
    is explained all the same. Nothing is recorded where there is no CUDA, and nothing is told of a cell
    that asks for no memory."""
    options = _options_of(line)
    try:
        import torch

        has_cuda = torch.cuda.is_available()
    except ImportError:
        has_cuda = False
    if not has_cuda:
        print("%%vramlab records nothing: there is no PyTorch with CUDA here (vramlab dry-run gives it one)")
        ipython.run_cell(cell)
        return None
    from vramlab.torch import pytorch
    from vramlab.torch.recorder import record

    scratch = Scratch()
    path = options.get("-o", scratch.file("cell.pickle"))
    held_before = _held(pytorch.statistics())
    with record(path) as recorded:
        ipython.run_cell(cell)
        held_after = _held(pytorch.statistics())
    recorded.recording._scratch = scratch
    if not _has_asked(recorded.recording):
        print("%%vramlab: the cell asked for no memory of a GPU")
        return None
    return CellMemory(recorded.recording, held_before, held_after)


def _has_asked(recording: Recording) -> bool:
    """A snapshot has an entry, too."""
    return any(count for device in recording.info["devices"]
               for action, count in device["events_by_action"].items() if action != "snapshot")


def _held(statistics: Dict[str, int]) -> int:
    return statistics.get("allocated_bytes.all.current", 0)


def _options_of(line: str) -> Dict[str, str]:
    """
    >>> _options_of("-o cell.pickle"), _options_of("")
    ({'-o': 'cell.pickle'}, {})
    """
    words = shlex.split(line)
    if words and (len(words) != 2 or words[0] != "-o"):
        raise TypeError(f"expected %%vramlab or %%vramlab -o FILE, found %%vramlab {line}")
    return {words[0]: words[1]} if words else {}
