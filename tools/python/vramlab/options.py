"""The options of each command, for editors and type checkers. Written by
tools/python/write_options.py from the program's manual pages."""

import os
from typing import Literal, Sequence, TypedDict, Union

#: Bytes, nanoseconds, or a text such as "80GiB" or "10us".
Amount = Union[int, str]
Text = Union[str, int, "os.PathLike[str]"]
#: A list is an option given several times.
Texts = Union[Text, Sequence[Text]]


class ExplainOptions(TypedDict, total=False):
    """Options of vramlab explain."""

    at: int
    conf: Text
    cudagraph_initial_mempool: Amount
    device: int
    device_costs: Text
    device_memory: Amount
    format: Literal["text", "markdown", "json"]
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    held_by_others: Amount
    memory_fraction: float
    quick: bool
    reference: Text


class VerifyOptions(TypedDict, total=False):
    """Options of vramlab verify."""

    conf: Text
    reference: Text
    require: Text


class ReplayOptions(TypedDict, total=False):
    """Options of vramlab replay."""

    cudagraph_initial_mempool: Amount
    device_costs: Text
    device_memory: Amount
    fail_on_oom: bool
    force: bool
    frees: Literal["recorded", "eager", "modelled"]
    held_by_others: Amount
    history: int
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    reference: Text
    segments: Literal["upwards", "downwards", "by-size", "driver"]
    snapshot_at: Text
    snapshot_out: Text
    timeline: Text


class SweepOptions(TypedDict, total=False):
    """Options of vramlab sweep."""

    cudagraph_initial_mempool: Amount
    device_costs: Text
    device_memory: Amount
    force: bool
    format: Literal["text", "json", "csv", "markdown"]
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    grid: Text
    held_by_others: Amount
    jobs: int
    limit: int
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    output: Text
    recorded: bool
    reference: Text
    shard: Text


class AdviseOptions(TypedDict, total=False):
    """Options of vramlab advise."""

    cudagraph_initial_mempool: Amount
    device_costs: Text
    device_memory: Amount
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    held_by_others: Amount
    jobs: int
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    phases: bool
    prefer: Literal["memory", "calls", "time"]
    reference: Text
    without: Texts


class CapacityOptions(TypedDict, total=False):
    """Options of vramlab capacity."""

    capacity: Amount
    cudagraph_initial_mempool: Amount
    device_costs: Text
    force: bool
    format: Literal["text", "json", "csv", "markdown"]
    frees: Literal["recorded", "eager", "modelled"]
    held_by_others: Amount
    jobs: int
    limit: int
    memory_fraction: float
    output: Text
    reference: Text
    replays_above: int


class TopOptions(TypedDict, total=False):
    """Options of vramlab top."""

    between: Sequence[int]
    by: Literal["age", "kind", "label", "module", "parameter", "pool", "site", "size", "stack", "stream"]
    device: int
    every: int
    folded: bool
    growth: bool
    host: bool
    iteration: int
    kinds: Literal["recorded", "guess"]
    limit: int
    native: bool


class SnapshotOptions(TypedDict, total=False):
    """Options of vramlab snapshot."""

    conf: Text
    cudagraph_initial_mempool: Amount
    device: int
    device_costs: Text
    device_memory: Amount
    force: bool
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    held_by_others: Amount
    host: bool
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    output: Text
    pinners: int
    quick: bool
    reference: Text
    segments: int


class DiffOptions(TypedDict, total=False):
    """Options of vramlab diff."""

    at: Literal["peak", "peak_reserved", "end", "oom"]
    budget: Text
    by: Literal["kind", "label", "module", "parameter", "pool", "position", "site", "size", "stack", "stream"]
    device: int
    fail_if: Texts
    force: bool
    format: Literal["text", "json", "markdown", "junit"]
    host: bool
    kinds: Literal["recorded", "guess"]
    limit: int
    no_budget: bool
    output: Text


class PackOptions(TypedDict, total=False):
    """Options of vramlab pack."""

    capacity: Amount
    seed: int
    time: Amount


class PoliciesOptions(TypedDict, total=False):
    """Options of vramlab policies."""

    conf: Text
    device_memory: Amount
    format: Literal["text", "json", "markdown"]
    policy: Texts


class StepsOptions(TypedDict, total=False):
    """Options of vramlab steps."""

    beside: Text
    conf: Text
    count: int
    cudagraph_initial_mempool: Amount
    device_costs: Text
    device_memory: Amount
    frees: Literal["recorded", "eager", "modelled"]
    from_: int
    gpu: Text
    held_by_others: Amount
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    reference: Text


class StreamsOptions(TypedDict, total=False):
    """Options of vramlab streams."""

    call_time: Amount
    copy_engines: int
    fail_on_findings: bool
    force: bool
    format: Literal["text", "json", "perfetto"]
    hardware_queues: int
    host_functions: int
    kernels: int
    launch_latency: Amount
    no_hazards: bool
    output: Text
    reference: Text
    top: int


class LiveOptions(TypedDict, total=False):
    """Options of vramlab live."""

    calibrate: bool
    conf: Text
    cudagraph_initial_mempool: Amount
    device: int
    device_costs: Text
    device_memory: Amount
    force: bool
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    held_by_others: Amount
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    reference: Text
    repeats: int


class ReportOptions(TypedDict, total=False):
    """Options of vramlab report."""

    conf: Texts
    cudagraph_initial_mempool: Amount
    device_costs: Text
    device_memory: Amount
    force: bool
    frees: Literal["recorded", "eager", "modelled"]
    gpu: Text
    held_by_others: Amount
    kinds: Literal["recorded", "guess"]
    memory_fraction: float
    on_oom: Literal["recorded", "stop", "skip", "report"]
    reference: Text


class ConvertOptions(TypedDict, total=False):
    """Options of vramlab convert."""

    anonymize: bool
    device: int
    force: bool
    format: Literal["pickle", "json", "native-text", "native-binary", "native-script", "rmm", "perfetto"]
    from_: Amount
    stream: int
    strip_frames: bool
    to: Amount


class GrowthOptions(TypedDict, total=False):
    """Options of vramlab top."""

    at: Text
    between: Sequence[int]
    by: Literal["age", "kind", "label", "module", "parameter", "pool", "site", "size", "stack", "stream"]
    device: int
    every: int
    folded: bool
    host: bool
    iteration: int
    kinds: Literal["recorded", "guess"]
    limit: int
    native: bool


class AllocationsOptions(TypedDict, total=False):
    """Options of vramlab table."""

    kinds: Literal["recorded", "guess"]


class MergeOptions(TypedDict, total=False):
    """Options of vramlab merge."""

    force: bool
    format: Literal["text", "json", "csv", "markdown"]
    limit: int
    output: Text


class ConformOptions(TypedDict, total=False):
    """Options of vramlab conform."""

    jobs: int
    streams: Literal["counted", "timed"]


class GenerateOptions(TypedDict, total=False):
    """Options of vramlab generate."""

    answer: int
    batch: int
    blocks: int
    bucket: int
    channels: int
    chosen: int
    classes: int
    context: int
    evaluate: int
    events: int
    every: int
    experts: int
    force: bool
    format: Literal["native-text", "native-binary"]
    graphs: int
    heads: int
    hidden: int
    kept: int
    kv_heads: int
    layers: int
    leak: int
    list: bool
    log: int
    prefetch: int
    recompute: bool
    resolution: int
    sample: int
    seed: int
    sequence: int
    shortest: int
    steps: int
    vocabulary: int
    volume: int


class SampleOptions(TypedDict, total=False):
    """Options of vramlab sample."""

    force: bool


class DryRunOptions(TypedDict, total=False):
    """Options of vramlab dry-run."""

    conf: Text
    device_memory: Amount
    explain: bool
    fail_if: Texts
    fail_on_invalid: bool
    fail_on_oom: bool
    force: bool
    gpus: int
    held_by_others: Amount
    keep_compiled: Text
    kernel_time: Amount
    lanes: Text
    mark_every: int
    rank: int
    ranks: Text
    report: Text
    report_signal: Literal["USR1", "USR2", "HUP"]
    segments: Literal["driver", "upwards"]
    shared: bool
    values: Literal["zeros", "ones", "random", "computed", "auto"]
    values_from: Text
    world_size: int


class FitOptions(TypedDict, total=False):
    """Options of vramlab fit."""

    advise: bool
    conf: Texts
    device_memory: Amount
    fail_if: Texts
    force: bool
    format: Literal["text", "json", "csv", "markdown"]
    gpus: int
    held_by_others: Amount
    jobs: int
    keep_compiled: Text
    kernel_time: Amount
    no_cache: bool
    output: Text
    rank: int
    ranks: Text
    report: Text
    search: Text
    segments: Literal["driver", "upwards"]
    steps: int
    template: Texts
    timeout: Amount
    values: Literal["zeros", "ones", "random", "computed"]
    values_from: Text
    world_size: int


class ServeOptions(TypedDict, total=False):
    """Options of vramlab serve."""

    conf: Text
    device_memory: Amount
    find_utilization: bool
    force: bool
    gpus: int
    health_port: int
    held_by_others: Amount
    keep_compiled: Text
    kernel_time: Amount
    load: Text
    rank: int
    requests: Text
    segments: Literal["driver", "upwards"]
    sleep: int
    timeout: Amount
    values_from: Text
    world_size: int


class RecordOptions(TypedDict, total=False):
    """Options of vramlab record."""

    force: bool
    format: Literal["native-text", "native-binary"]
    stacks: bool


class RunOptions(TypedDict, total=False):
    """Options of vramlab run."""

    conf: Text
    history: int
    idle_limit: Text
    mode: Literal["deferred", "sync", "nosplit", "off"]
    report_signal: Literal["USR1", "USR2", "HUP"]
    snapshot: Text
    stacks: bool
    stats: Text
    trim_signal: Literal["USR1", "USR2", "HUP"]
    waiting_limit: Text
