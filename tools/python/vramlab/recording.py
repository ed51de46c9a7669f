"""A recording that was opened: every command asks about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, List, Mapping, Optional, Sequence, Type, TypeVar, Union

from vramlab import answers, program
from vramlab.columns import Columns, table_of
from vramlab.program import Listener, Path
from vramlab.scratch import Scratch
from vramlab.values import Value, first_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from vramlab import options as of

Snapshot = Union[Dict[str, Any], List[Any]]
Source = Union[Path, bytes, bytearray, memoryview, BinaryIO, Snapshot, "Recording"]
AnyValue = TypeVar("AnyValue", bound=Value)


class Recording:
    """A recording or a program, in any format that `vramlab info` knows: its path, its bytes, an open
    file, or the value of torch.cuda.memory._snapshot(). Bytes that can be a path are one.

    Every method takes the options of its command as keywords: `device_memory="80GiB"` is
    `--device-memory 80GiB`, True is a flag, a list is an option given several times. `progress` is
    a function that is called with a Progress, or True for a bar of tqdm.
    """

    def __init__(self, source: Source, progress: Listener = None) -> None:
        #: A recording from memory lies in a folder that lives as long as this value.
        self._scratch: Optional[Scratch] = None
        self.path = self._path_of(source)
        self.progress = progress
        document = program.ask("info", [self.path], progress=progress)
        #: What `vramlab info` says of the file.
        self.info = answers.Info(first_of(document, "files"))

    def _path_of(self, source: Source) -> str:
        if isinstance(source, Recording):
            self._scratch = source._scratch
            return source.path
        if isinstance(source, (str, os.PathLike)) or _is_path(source):
            return os.fsdecode(source)  # type: ignore[arg-type]
        self._scratch = Scratch()
        path = self._scratch.file("recording")
        with open(path, "wb") as file:
            _write_source(source, file)
        return path

    def __fspath__(self) -> str:
        return self.path

    def __repr__(self) -> str:
        return f"Recording({self.path!r}, {self.info.format}, devices={len(self.info.rows)})"

    def _repr_html_(self) -> str:
        return self.info._repr_html_()

    def _ask(self, kind: Type[AnyValue], command: str, options: Mapping[str, object],
             first: str = "") -> AnyValue:
        document = program.ask(command, [self.path], options, self.progress)
        return kind(first_of(document, first) if first else document)

    def explain(self, **options: Unpack[of.ExplainOptions]) -> answers.Explanation:
        """The failed request or the peak: its line, who holds memory, and what would have helped.

        >>> print(rec.explain().text.splitlines()[0])
        no request failed on GPU 0: peak allocated 12.28 GiB, peak reserved 39.62 GiB
        """
        return self._ask(answers.Explanation, "explain", options)

    def verify(self, **options: Unpack[of.VerifyOptions]) -> answers.Verification:
        """How faithful a replay is.

        >>> rec.verify().label
        'exact'
        """
        return self._ask(answers.Verification, "verify", options, first="files")

    def replay(self, conf: Optional[str] = None, *, gpu: Optional[str] = None,
               **options: Unpack[of.ReplayOptions]) -> answers.Replay:
        """The figures that another option string, GPU or memory would have given.

        >>> rec.replay(conf="expandable_segments:True").peak_reserved
        14275313664
        """
        return self._ask(answers.Replay, "replay", {"conf": conf, "gpu": gpu, **options})

    def sweep(self, confs: Sequence[str] = (), **options: Unpack[of.SweepOptions]) -> answers.Sweep:
        """Replays under many option strings, best first.

        >>> rec.sweep(["", "expandable_segments:True"]).best
        'expandable_segments:True'
        """
        return self._ask(answers.Sweep, "sweep", {"conf": program.several(confs), **options})

    def advise(self, **options: Unpack[of.AdviseOptions]) -> answers.Advice:
        """The best option string for this workload.

        >>> rec.advise().setting
        'expandable_segments:True'
        """
        return self._ask(answers.Advice, "advise", options)

    def capacity(self, confs: Sequence[str] = (), **options: Unpack[of.CapacityOptions]) -> answers.Capacity:
        """The least device memory on which it runs.

        >>> rec.capacity(["expandable_segments:True"], replays_above=0).bytes
        13224640512
        """
        return self._ask(answers.Capacity, "capacity", {"conf": program.several(confs), **options})

    def top(self, at: Union[None, int, str] = None, **options: Unpack[of.TopOptions]) -> answers.Holdings:
        """Who holds memory at the peak or another moment.

        >>> rec.top(at="peak", by="pool").rows[0].key
        'default pool'
        """
        return self._ask(answers.Holdings, "top", {"at": at, **options})

    def kinds(self, at: Union[None, int, str] = None, **options: Unpack[of.TopOptions]) -> answers.Holdings:
        """Parameters, gradients, optimizer state, activations and the like, where the recording says it.

        >>> rec.kinds().rows[0].key
        'not labelled'
        """
        return self.top(at, **{"by": "kind", **options})  # type: ignore[arg-type]

    def modules(self, at: Union[None, int, str] = None, **options: Unpack[of.TopOptions]) -> answers.Holdings:
        """The same by module, with `*` for numbers of layers.

        >>> rec.modules().rows[0].key
        'not labelled'
        """
        return self.top(at, **{"by": "module", **options})  # type: ignore[arg-type]

    def allocations(self, **options: Unpack[of.AllocationsOptions]) -> Columns:
        """Every allocation with its size, life, stack and kind, as columns.

        >>> allocations = rec.allocations()
        >>> len(allocations), allocations[0]["bytes"], allocations[0]["call_site"]
        (15700, 207618048, 'model.py:27 __init__')
        """
        return table_of(self.path, "allocations", options, self.progress)

    def events(self) -> Columns:
        """Every event, as columns.

        >>> events = rec.events()
        >>> len(events), events[0]["action"]
        (47473, 'segment_alloc')
        """
        return table_of(self.path, "events", {}, self.progress)

    def growth(self, **options: Unpack[of.GrowthOptions]) -> answers.Growth:
        """Call sites that hold more with each iteration.

        >>> rec.growth(every=8000).iterations_by
        'every'
        """
        return self._ask(answers.Growth, "top", {"growth": True, **options})

    def snapshot(self, at: Union[None, int, str] = None, **options: Unpack[of.SnapshotOptions]) -> answers.State:
        """Segments, blocks and pinners at a moment; why a request failed.

        >>> print(rec.snapshot(at="oom", device_memory="12GiB").explanation.splitlines()[0])
        out of memory on GPU 0: 1.89 GiB requested at an unknown line, event 14188
        """
        return self._ask(answers.State, "snapshot", {"at": at, **options})

    def diff(self, other: Source, **options: Unpack[of.DiffOptions]) -> answers.Difference:
        """The changes from this recording to another one.

        >>> rec.diff(rec).fail_if("peak_reserved > +2%").same
        True
        """
        new = other if isinstance(other, Recording) else Recording(other, self.progress)

        def judge(limits: List[str]) -> Dict[str, Any]:
            files = [self.path, new.path]
            return program.ask("diff", files, {**options, "fail_if": limits}, self.progress)

        given = options.pop("fail_if", None)
        limits = given if isinstance(given, (list, tuple)) else [given] if given else []
        found = answers.Difference(judge([str(limit) for limit in limits]))
        found._rest = judge
        return found

    def pack(self, **options: Unpack[of.PackOptions]) -> answers.Packing:
        """How little memory the history needs."""
        return self._ask(answers.Packing, "pack", options)

    def policies(self, **options: Unpack[of.PoliciesOptions]) -> answers.Policies:
        """Allocators that PyTorch does not have, on the same requests."""
        return self._ask(answers.Policies, "policies", options)

    def steps(self, **options: Unpack[of.StepsOptions]) -> answers.Steps:
        """The allocator's actions at each event, and the rules by which it took them.

        >>> rec.steps(count=2).rows[0].rules[:2]
        ['1.2', '4.3']
        """
        return self._ask(answers.Steps, "steps", options)

    def streams(self, **options: Unpack[of.StreamsOptions]) -> answers.Streams:
        """Hazards of a program's streams, or what waiting frees of a recording cost."""
        return self._ask(answers.Streams, "streams", options)

    def live(self, **options: Unpack[of.LiveOptions]) -> Value:
        """A replay on the real GPU beside the simulated one."""
        return self._ask(Value, "live", options)

    def report(self, output: Path, **options: Unpack[of.ReportOptions]) -> answers.Report:
        """Writes an HTML page: memory over time, states, call sites, events."""
        return self._ask(answers.Report, "report", {"output": output, **options})

    def convert(self, output: Path, **options: Unpack[of.ConvertOptions]) -> "Recording":
        """Writes it in another format, or a part of it, and opens what was written."""
        program.tell("convert", [self.path], {"output": output, **options}, self.progress)
        return Recording(output, self.progress)


def _is_path(source: object) -> bool:
    """No path has a zero byte, which the formats for machines all have, or is as long as this."""
    return isinstance(source, bytes) and b"\0" not in source and len(source) < 4096


def _write_source(source: Any, file: BinaryIO) -> None:
    """Writes what a recording was opened from, if that is no path."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        file.write(source)
    elif hasattr(source, "read"):
        import shutil

        shutil.copyfileobj(source, file)
    elif isinstance(source, (dict, list)):
        import pickle

        pickle.dump(source, file, protocol=4)
    else:
        raise TypeError("expected a path, bytes, an open file or a snapshot, found "
                        + type(source).__name__)
