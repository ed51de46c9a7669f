"""The answer of each command. Its fields are those of the JSON (docs/reference/schemas); a class adds
properties to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, ClassVar, Dict, List, Mapping, Optional, Type, Union

from vramlab.errors import LimitError
from vramlab.values import Table, Value, rows_below, shown_text

if TYPE_CHECKING:
    from vramlab import shapes


class Info(Table):
    """The content of a file. Its table has the devices."""

    __slots__ = ()
    file: str
    format: str
    packing: Optional[str]
    encoding: Optional[str]
    bytes: int
    version: Optional[str]
    devices: List[shapes.InfoDevice]
    settings: Optional[Mapping[str, str]]
    program: Optional[shapes.InfoProgram]
    log: Optional[shapes.InfoLog]
    #: the kinds of memory over time, where the file has nothing else
    timeline: Optional[shapes.Timeline]
    #: the test of pytest that was recorded
    test: Optional[str]
    _shown = ("file", "format", "bytes", "version", "devices")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[Union[shapes.InfoDevice, shapes.InfoProgramDevice]]: ...  # type: ignore[override]

    def _rows(self) -> List[Dict[str, Any]]:
        program = self._document["program"]
        rows: List[Dict[str, Any]] = program["devices"] if program else self._document["devices"]
        return rows


class Explanation(Table):
    """The answer about the worst recording: a failure or a peak. Its table has all recordings."""

    __slots__ = ()
    #: The figures of the answer, as `vramlab explain --json` has them; None of a memory timeline.
    answer: Optional[shapes.ExplainAnswer]
    #: The kinds of memory, if the file is a memory timeline.
    memory_timeline: Optional[shapes.ExplainMemoryTimeline]
    recordings: List[shapes.ExplainRecording]
    _shown = ("headline", "recordings")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[shapes.ExplainRecording]: ...  # type: ignore[override]

    def _told(self) -> Dict[str, Any]:
        told: Dict[str, Any] = self._document["answer"] or self._document["memory_timeline"]
        return told

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        headline: str = self._told()["headline"]
        return headline

    @property
    def line(self) -> Optional[str]:
        """The line of the request that failed; None if none failed or the file does not say."""
        failure = self._told().get("out_of_memory")
        place: Optional[str] = failure["call_site"] if failure else None
        return place

    @property
    def text(self) -> str:
        """The answer for people, without the table."""
        text: str = self._told()["text"]
        return text

    def __str__(self) -> str:
        return self.text

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self._document["recordings"]
        return rows


class Verification(Table):
    """How faithful a replay of a recording is. Its table has the devices."""

    __slots__ = ()
    file: str
    #: exact, approximate, not replayed, final state only or different
    label: str
    reference: str
    reference_is_guessed: bool
    #: versions of PyTorch that write such a file, such as '2.14 or newer'
    file_version: str
    options: str
    devices: List[shapes.VerifyDevice]
    _shown = ("file", "label", "reference", "options")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[shapes.VerifyDevice]: ...  # type: ignore[override]

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self._document["devices"]
        return rows


class Replay(Table):
    """A replay. Metrics are attributes too; the table is the memory over time."""

    __slots__ = ()
    file: str
    reference: str
    options: str
    #: replayed calls of the allocator
    allocator_calls: int
    stopped_at: Optional[int]
    notes: List[str]
    metrics: shapes.ReplayMetrics
    #: the first failed request of each device
    out_of_memory: List[shapes.ReplayExplained]
    devices: List[shapes.ReplayDevice]
    peak_allocated: int
    peak_reserved: int
    _shown = ("file", "options", "peak_allocated", "peak_reserved", "stopped_at")

    def __getattr__(self, name: str) -> Any:
        metrics = {} if name.startswith("_") else self._document["metrics"]
        if name in metrics and name not in self._document:
            return metrics[name]
        return super().__getattr__(name)

    def _rows(self) -> List[Dict[str, Any]]:
        return [
            {
                "device": device["device"],
                "event": min((i + 1) * curve["events_per_step"] - 1, curve["last_event"]),
                "allocated_bytes": allocated,
                "reserved_bytes": reserved,
            }
            for device in self._document["devices"]
            for curve in [device["curve"]]
            if curve
            for i, (allocated, reserved) in enumerate(
                zip(curve["allocated_bytes"], curve["reserved_bytes"]))
        ]

    def plot(self, axes: Any = None) -> Any:
        """The memory over its events, reserved and allocated, on axes of matplotlib, which it returns."""
        from vramlab.plots import plot_replay

        return plot_replay(self._document, axes)

    def _repr_html_(self) -> str:
        from vramlab.notebook import curve_svg, value_html

        pictures = [
            curve_svg(device["curve"]["reserved_bytes"], device["curve"]["allocated_bytes"],
                      f"GPU {device['device']}")
            for device in self._document["devices"] if device["curve"]
        ]
        return "".join(pictures) + value_html(self) + value_html(self.metrics)


class Sweep(Table):
    """Replays under many settings, best first."""

    __slots__ = ()
    files: List[str]
    reference: str
    conditions: str
    settings: int
    shard: Optional[shapes.SweepShard]
    notes: List[str]
    complete: bool
    _shown = ("files", "settings", "complete", "best")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[Union[shapes.SweepRow, shapes.Refused]]: ...  # type: ignore[override]

    def plot(self, axes: Any = None) -> Any:
        """A bar for each option string, the best on top, on axes of matplotlib, which it returns."""
        from vramlab.plots import plot_sweep

        return plot_sweep(self._document, axes)

    @property
    def best(self) -> str:
        """The options of the first row."""
        conf: str = self._document["rows"][0]["conf"]
        return conf


class Advice(Table):
    """The best setting. Its table has the settings that it is compared with."""

    __slots__ = ()
    file: str
    reference: str
    conf: str
    nothing_helps: bool
    #: exact, modelled or guessed
    trust: str
    #: Nothing but modelled time puts this setting before the next.
    decided_by_time: bool
    #: Recordings that began when memory was reserved already.
    late_starts: List[shapes.AdviseLateStart]
    #: Modelled: the answer if the blocks of such a beginning are requested anew.
    requested_anew: Optional[shapes.AdviseRequestedAnew]
    saves_against_no_options: Optional[int]
    saves_against_recorded: Optional[int]
    runs: int
    reasons: List[str]
    notes: List[str]
    #: Options that change while the program runs; None unless asked for with `phases=True`.
    phases: Optional[shapes.AdvisePhase]
    _shown = ("file", "setting", "saves_against_no_options", "saves_against_recorded", "trust")

    @property
    def setting(self) -> str:
        """The option string to use; empty for no options."""
        conf: str = self._document["conf"]
        return conf

    def _rows(self) -> List[Dict[str, Any]]:
        document = self._document
        return [{"is": name, **{key: figure for key, figure in document[name].items()
                                if key != "files"}}
                for name in ("best", "runner_up", "no_options", "recorded") if document[name]]


class Capacity(Table):
    """The least device memory, a row for each setting."""

    __slots__ = ()
    file: str
    source: str
    reference: Optional[str]
    granularity_bytes: int
    notes: List[str]
    packing: shapes.CapacityPacking
    _shown = ("file", "bytes", "setting")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[shapes.CapacityRow]: ...  # type: ignore[override]

    def _best(self) -> Dict[str, Any]:
        known = [row for row in self._document["rows"] if row["least_bytes"] is not None]
        return min(known, key=lambda row: row["least_bytes"]) if known else {}

    @property
    def bytes(self) -> Optional[int]:
        """The least device memory under the best of the settings that were tried; None if it is
        not known of any."""
        least: Optional[int] = self._best().get("least_bytes")
        return least

    @property
    def setting(self) -> Optional[str]:
        """The setting of `bytes`."""
        conf: Optional[str] = self._best().get("conf")
        return conf


class Holdings(Table):
    """Who holds memory at a moment, largest first."""

    __slots__ = ()
    file: str
    moment: str
    grouped_by: str
    notes: List[str]
    devices: List[shapes.TopDevice]
    _shown = ("file", "moment", "grouped_by", "devices")

    def plot(self, axes: Any = None) -> Any:
        """A bar for each group, the largest on top, on axes of matplotlib, which it returns."""
        from vramlab.plots import plot_holdings

        return plot_holdings(self._document, axes)

    def _rows(self) -> List[Dict[str, Any]]:
        return rows_below(self._document["devices"], "groups", "device")


class OfFiles(Table):
    """The same question about several files, such as the recordings of a job's ranks."""

    __slots__ = ()
    #: the answer of each file, in the order given
    files: List[Value]
    worst_file: str
    _shown = ("worst_file", "files")
    _kind: ClassVar[Type[Table]] = Table

    @classmethod
    def of(cls, document: Dict[str, Any]) -> Any:
        """The answer of a document, which has one file alone if that was all."""
        if "worst_file" in document:
            return cls(document)
        return cls({"schema_version": 1, "worst_file": document["file"], "files": [document]})

    @property
    def answers(self) -> List[Any]:
        """The answer of each file, as the method of a recording gives it."""
        return [self._kind(document) for document in self._document["files"]]

    @property
    def worst(self) -> Any:
        """The answer of the worst file."""
        return next(answer for answer in self.answers if answer.file == self.worst_file)

    def _rows(self) -> List[Dict[str, Any]]:
        return [{"file": answer.file, **row} for answer in self.answers for row in answer._rows()]


class Replays(OfFiles):
    """Replays of several files. The table has the metrics of each."""

    __slots__ = ()
    _kind = Replay

    def _rows(self) -> List[Dict[str, Any]]:
        return [{"file": document["file"], **document["metrics"]}
                for document in self._document["files"]]


class Capacities(OfFiles):
    """The least memory on which each of several files runs. The table has a row for each file and
    setting."""

    __slots__ = ()
    _kind = Capacity

    @property
    def bytes(self) -> Optional[int]:
        """The least memory on which all files run, under the best of the settings that were tried."""
        worst: Dict[str, List[Optional[int]]] = {}
        for row in self._rows():
            worst.setdefault(row["conf"], []).append(row["least_bytes"])
        known = [max(sizes) for sizes in worst.values() if None not in sizes]  # type: ignore[type-var]
        return min(known) if known else None  # type: ignore[type-var]


class HoldingsOfFiles(OfFiles):
    """Who holds memory in each of several files."""

    __slots__ = ()
    _kind = Holdings


class Growth(Table):
    """Call sites that hold more with each iteration."""

    __slots__ = ()
    file: str
    iterations_by: str
    iteration_name: Optional[str]
    is_guess: bool
    devices: List[shapes.TopGrowthDevice]
    _shown = ("file", "iterations_by", "devices")

    def _rows(self) -> List[Dict[str, Any]]:
        return rows_below(self._document["devices"], "sites", "device")


class State(Table):
    """Segments and blocks at a moment. Its table has the segments, or with host=True the blocks."""

    __slots__ = ()
    file: str
    moment: str
    notes: List[str]
    metrics: shapes.SnapshotMetrics
    out_of_memory: List[shapes.SnapshotExplained]
    devices: List[shapes.SnapshotDevice]
    host: Optional[shapes.SnapshotHost]
    _shown = ("file", "moment", "metrics", "out_of_memory")

    @property
    def explanation(self) -> str:
        """Why the request failed and what would have helped, as lines; empty if none failed."""
        return "".join(explained["text"] for explained in self._document["out_of_memory"])

    def _rows(self) -> List[Dict[str, Any]]:
        if self._document["host"]:
            return list(self._document["host"]["blocks"])
        return rows_below(self._document["devices"], "segments", "device")


Judge = Callable[[List[str]], Dict[str, Any]]


class Difference(Table):
    """The changes from one recording to another. Its table has the metrics."""

    __slots__ = ()
    base: shapes.DiffSide
    new: shapes.DiffSide
    moment: str
    same: bool
    broken: bool
    changes: shapes.DiffChange
    groups: List[shapes.DiffGroup]
    events: Optional[shapes.DiffEvent]
    limits: List[shapes.DiffLimit]
    _shown = ("base_file", "new_file", "same", "broken", "limits")

    @property
    def base_file(self) -> str:
        """The file that was compared with."""
        file: str = self._document["base"]["file"]
        return file

    @property
    def new_file(self) -> str:
        """The file that was judged."""
        file: str = self._document["new"]["file"]
        return file

    def fail_if(self, *limits: str) -> "Difference":
        """Raises LimitError if one of these holds, such as `peak_reserved > +2%`."""
        judge: Judge = self._rest
        judged = Difference(judge(list(limits)))
        judged._rest = judge
        judged.raise_if_broken()
        return judged

    def raise_if_broken(self) -> None:
        """Raises LimitError if a limit does not hold."""
        broken = [limit for limit in self._document["limits"] if limit["broken"]]
        if broken:
            raise LimitError("; ".join(_limit_text(limit) for limit in broken), broken)

    def _rows(self) -> List[Dict[str, Any]]:
        return [{"metric": name, **change} for name, change in self._document["changes"].items()]


class Packing(Table):
    """How little memory a history needs. Its table has the heuristics."""

    __slots__ = ()
    file: str
    source: str
    notes: List[str]
    capacity: Optional[int]
    groups: List[shapes.PackGroup]
    _shown = ("file", "source", "groups")

    def _rows(self) -> List[Dict[str, Any]]:
        return rows_below(self._document["groups"], "tried", "device")


class Policies(Table):
    """Allocators that PyTorch does not have, on the same requests."""

    __slots__ = ()
    file: str
    options: str
    notes: List[str]
    devices: List[shapes.PoliciesDevice]
    _shown = ("file", "options", "devices")

    def _rows(self) -> List[Dict[str, Any]]:
        return rows_below(self._document["devices"], "policies", "device")


class Steps(Table):
    """The allocator's actions, event by event. Its table has the steps."""

    __slots__ = ()
    file: str
    reference: str
    options: str
    notes: List[str]
    #: replayed calls of the allocator, also those that are not shown
    allocator_calls: int
    stopped_at: Optional[int]
    #: The texts of the rules that acted, by their numbers.
    rules: Mapping[str, str]
    steps: List[shapes.StepsStep]
    #: With `beside`: the same events by the rules of that version.
    beside: Optional[shapes.StepsBeside]
    _shown = ("reference", "options", "allocator_calls")

    if TYPE_CHECKING:
        @property
        def rows(self) -> List[shapes.StepsStep]: ...  # type: ignore[override]

    def _rows(self) -> List[Dict[str, Any]]:
        return list(self._document["steps"])

    def _repr_html_(self) -> str:
        from vramlab.steps_html import steps_html

        return steps_html(self._document)


class Streams(Value):
    """The effects of streams: hazards of a program, or waiting frees of a recording."""

    __slots__ = ()
    file: str
    #: program or recording
    kind: str
    reference: str
    notes: List[str]


class Report(Value):
    """A page that was written."""

    __slots__ = ()
    output: str
    runs: List[shapes.ReportRun]
    bytes: int


class DryRun(Table):
    """A dry run. Its table has the devices of all processes."""

    __slots__ = ()
    program: List[str]
    exit_status: int
    gpu: str
    gpus: int
    device_memory: Optional[int]
    held_by_others: int
    conf: Optional[str]
    out_of_memory: bool
    processes: List[shapes.DryRunProcess]
    smallest_gpu: Optional[shapes.DryRunSmallestGpu]
    advice: Optional[shapes.DryRunAdvice]
    #: The answer of `vramlab explain`, if the program ran out of memory.
    explanation: Optional[str]
    broken_limits: List[shapes.DryRunBrokenLimit]
    #: GPUs that the processes shared; None without `shared=True`.
    shared: Optional[shapes.DryRunShared]
    troubles: List[Any]
    _shown = ("program", "exit_status", "gpu", "out_of_memory", "processes")

    @property
    def histories(self) -> List[str]:
        """The files of the histories, of which there is one for each process that used a GPU. They
        live as long as this value, unless `output` was given."""
        return [process["history"] for process in self._document["processes"]
                if process["history"]]

    def _rows(self) -> List[Dict[str, Any]]:
        return rows_below(self._document["processes"], "devices", "process")


class Serving(Table):
    """An inference engine, run dry. Its table has its processes with the parts of their memory."""

    __slots__ = ()
    program: List[str]
    gpu: str
    gpus: int
    device_memory: Optional[int]
    #: Every process was ready, a server answered, and a script ended with 0.
    has_started: bool
    out_of_memory: bool
    exit_status: int
    processes: List[shapes.ServeProcess]
    engine_says: shapes.ServeEngineSays
    #: With `load` or `requests`.
    load: Optional[shapes.ServeLoad]
    #: With `sleep`.
    sleep: Optional[shapes.ServeSleep]
    #: With `find_utilization=True`.
    utilization: Optional[shapes.ServeUtilization]
    troubles: List[Any]
    _shown = ("program", "gpu", "has_started", "out_of_memory", "processes", "utilization")

    @property
    def worst(self) -> Optional[Value]:
        """The parts of the process that reserved most, such as `weights`, `graphs`, `cache` and `cache_tokens`, in bytes
        and tokens. None if no process has marks of an engine."""
        parts = [process["parts"] for process in self._document["processes"]]
        return Value(max(parts, key=lambda each: each["peak_with_cache"] or 0)) if parts else None

    def _rows(self) -> List[Dict[str, Any]]:
        return [{"process": process["process"], "engine": process["engine"], "version": process["version"],
                 "is_ready": process["is_ready"], **process["parts"]} for process in self._document["processes"]]


class Fit(Table):
    """The largest values that fit. Its table has a row for each point of the grid, GPU and option string."""

    __slots__ = ()
    command: List[str]
    #: the placeholder whose largest value is searched; None if there is a grid alone
    searched: Optional[str]
    rows: List[Value]
    runs: List[shapes.FitRun]
    seconds: float
    _shown = ("command", "searched", "rows", "seconds")

    @property
    def best(self) -> Optional[Dict[str, Any]]:
        """The values of the row that fits most, by name, with its GPU and option string: the largest
        searched value, then the most memory left. None if nothing fits."""
        fitting = [row for row in self._rows() if row["fits"]]
        if not fitting:
            return None
        best = max(fitting, key=lambda row: (row.get(self._document["searched"], 0), row["headroom_bytes"] or 0))
        return {name: value for name, value in best.items() if name in self._names()}

    def plot(self, axes: Any = None) -> Any:
        """The peaks of the runs by value, with a line for each GPU's memory, on axes of matplotlib, which it returns.
        Without a searched value, the runs stand beside each other."""
        from vramlab.plots import plot_fit

        return plot_fit(self._document, axes)

    def _names(self) -> List[str]:
        rows: List[Dict[str, Any]] = self._document["rows"]
        searched = self._document["searched"]
        return [*rows[0]["placeholders"], *([searched] if searched else []), "gpu", "conf"]

    def _rows(self) -> List[Dict[str, Any]]:
        return [self._row(row) for row in self._document["rows"]]

    def _row(self, row: Dict[str, Any]) -> Dict[str, Any]:
        largest = row["largest"] or {}
        found = {name: _number_if_one(value) for name, value in row["placeholders"].items()}
        if self._document["searched"]:
            found[self._document["searched"]] = _number_if_one(largest.get("value"))
        peak = largest.get("peak_reserved_bytes")
        return {**found, "gpu": row["gpu"], "conf": row["conf"], "fits": bool(largest),
                "peak_reserved_bytes": peak, "headroom_bytes": row["headroom_bytes"],
                "problem": row["problem"]}


def _number_if_one(text: Optional[str]) -> Any:
    """
    >>> _number_if_one("16"), _number_if_one("0.5"), _number_if_one("full")
    (16, 0.5, 'full')
    """
    for kind in (int, float):
        try:
            return kind(text or "")
        except ValueError:
            pass
    return text


def _limit_text(limit: Dict[str, Any]) -> str:
    base, new = (shown_text(limit["metric"], limit[name]) for name in ("base", "new"))
    before = "" if limit["base"] is None else f", before {base}"
    return f"{limit['limit']} ({limit['origin']}): {new}{before}"


Answer = Union[Info, Explanation, Verification, Replay, Sweep, Advice, Capacity, Holdings, OfFiles, Growth,
               State, Difference, Packing, Policies, Steps, Streams, Report]
