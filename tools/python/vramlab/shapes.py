"""The objects in answers, for editors and type checkers: annotate with them, and make none. Written by
tools/python/write_shapes.py from docs/reference/schemas. An object without a schema of its own is a Value."""

from typing import List, Literal, Mapping, Union

from vramlab.values import Value


class AdviseBestPacking(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    heuristic: str
    bytes: int
    load_bound: int
    is_optimal: bool
    left_out: List[str]


class AdviseLateStart(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    file: str
    device: int
    reserved_before_bytes: int
    peak_reserved_bytes: int


class AdviseLine(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    name: str
    text: str


class AdvisePhase(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    pays: bool
    conf_at_start: str
    export: Union[str, None]
    changes: List["AdvisePhaseChange"]
    saves_against_single: Union[int, None]
    saves_against_no_options: Union[int, None]
    places: int
    runs: int
    best: Union["AdviseRow", "Refused"]
    single: Union["AdviseRow", "Refused"]


class AdvisePhaseChange(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    place: str
    kind: Literal["before", "behind", "mark"]
    file: Union[str, None]
    line: Union[int, None]
    function: Union[str, None]
    mark: Union[str, None]
    before_event: int
    conf: str
    python: List[str]


class AdviseRequestedAnew(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    conf: str
    nothing_helps: bool
    best: Union["AdviseRow", "Refused"]
    no_options: Union["AdviseRow", "Refused"]


class AdviseRow(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    conf: str
    as_recorded: bool
    refused: None
    worst_file: str
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int
    out_of_memory_at: Union[None, "Failed"]
    stopped_at: Union[int, None]
    depends_from: Union[int, None]
    can_be_judged: bool
    files: List["Figures"]


class BisectDifference(Value):
    """A part of vramlab bisect --json."""

    __slots__ = ()
    base: str
    new: str
    event: Union["BisectEvent", None]
    groups_at_peak: List["BisectDifferenceGroupsAtPeak"]


class BisectDifferenceGroupsAtPeak(Value):
    """A part of vramlab bisect --json."""

    __slots__ = ()
    group: str
    base_bytes: int
    new_bytes: int


class BisectEvent(Value):
    """A part of vramlab bisect --json."""

    __slots__ = ()
    device: int
    event: int
    base: str
    new: str


class BisectRun(Value):
    """A part of vramlab bisect --json."""

    __slots__ = ()
    environment: str
    python: str
    torch: Union[str, None]
    exit_status: int
    error: Union[str, None]
    out_of_memory: bool
    peak_allocated_bytes: int
    peak_reserved_bytes: int
    worst_process: Union[str, None]
    history: Union[str, None]


class CapacityFilesRow(Value):
    """A part of vramlab capacity --json of several files."""

    __slots__ = ()
    conf: str
    as_in_file: bool
    least_bytes: Union[int, None]
    worst_file: str


class CapacityGroup(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    device: Union[int, None]
    buffers: int
    lower_bounds: Union[None, "LowerBounds"]
    load_bound: int
    tried: List["Tried"]
    left_out: List[str]
    best: "CapacityGroupBest"
    peak_reserved: Union[int, None]
    fits: Union[bool, None]


class CapacityGroupBest(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    heuristic: str
    bytes: int
    is_optimal: bool


class CapacityLateStart(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    file: str
    device: int
    reserved_before_bytes: int
    peak_reserved_bytes: int


class CapacityLive(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    live_requested_bytes: int
    live_rounded_bytes: int
    live_on_device_bytes: int


class CapacityPacking(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    notes: List[str]
    capacity: Union[int, None]
    groups: List["CapacityGroup"]


class CapacityRange(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    from_bytes: int
    below_bytes: int


class CapacityRow(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    conf: str
    as_in_file: bool
    least_bytes: Union[None, int]
    least_as_it_went_on_bytes: Union[int, None]
    peak_requested_anew_bytes: Union[int, None]
    above_packing_millionths: Union[int, None]
    peak_without_limit_bytes: int
    smallest_gpu: Union[None, "CapacityRowSmallestGpu"]
    lower_bounds: Union[None, "CapacityLive"]
    fails_above: List["CapacityRange"]
    looked_up_to_bytes: Union[None, int]
    replays: int


class CapacityRowSmallestGpu(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    name: Union[str, None]
    available_bytes: Union[int, None]
    larger_gpus: int
    without_code: Union[str, None]


class ConformCase(Value):
    """A part of vramlab conform --json."""

    __slots__ = ()
    file: str
    error: str


class ConformCase1(Value):
    """A part of vramlab conform --json."""

    __slots__ = ()
    file: str
    name: str
    passed: bool


class ConformCase2(Value):
    """A part of vramlab conform --json."""

    __slots__ = ()
    file: str
    name: str
    passed: bool
    first_call: Union[int, None]
    call: str
    differences: List["ConformDifference"]
    segments: str


class ConformDifference(Value):
    """A part of vramlab conform --json."""

    __slots__ = ()
    where: str
    call: Union[int, None]
    expected: str
    actual: str


class DeviceCallsCall(Value):
    """A part of vramlab live --calibrate."""

    __slots__ = ()
    call: str
    bytes: int
    nanoseconds: int
    p95_nanoseconds: int
    max_nanoseconds: int
    count: int


class DiffBytes(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    unit: Literal["bytes"]
    base: Union[int, None]
    new: Union[int, None]
    change: Union[int, None]


class DiffChange(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    allocated: "DiffBytes"
    waiting: "DiffBytes"
    active: "DiffBytes"
    requested: "DiffBytes"
    rounding_waste: "DiffBytes"
    reserved: "DiffBytes"
    free: "DiffBytes"
    inactive_split: "DiffBytes"
    releasable: "DiffBytes"
    pool_held: "DiffBytes"
    stranded: "DiffBytes"
    largest_free: "DiffBytes"
    largest_cached: "DiffBytes"
    largest_possible: "DiffBytes"
    external_fragmentation: "DiffRatio"
    usable_share: "DiffRatio"
    segments: "DiffCount"
    blocks: "DiffCount"
    live_blocks: "DiffCount"
    holes: "DiffCount"
    requests: "DiffCount"
    frees: "DiffCount"
    peak_allocated: "DiffBytes"
    peak_active: "DiffBytes"
    peak_requested: "DiffBytes"
    peak_reserved: "DiffBytes"
    stranded_at_peak: "DiffBytes"
    end_allocated: "DiffBytes"
    end_reserved: "DiffBytes"
    device_allocs: "DiffCount"
    device_frees: "DiffCount"
    units_mapped: "DiffCount"
    units_unmapped: "DiffCount"
    device_bytes: "DiffBytes"
    device_churn: "DiffBytes"
    alloc_retries: "DiffCount"
    stream_synchronisations: "DiffCount"
    device_time: "DiffNanoseconds"
    out_of_memory: "DiffCount"
    host_requests: "DiffCount"
    host_frees: "DiffCount"
    host_peak_requested: "DiffBytes"
    host_peak_active: "DiffBytes"
    host_peak_pinned: "DiffBytes"
    host_end_pinned: "DiffBytes"
    host_allocs: "DiffCount"
    host_releases: "DiffCount"
    peak_parameters: "DiffBytes"
    peak_buffers: "DiffBytes"
    peak_gradients: "DiffBytes"
    peak_optimizer_state: "DiffBytes"
    peak_inputs: "DiffBytes"
    peak_activations: "DiffBytes"
    peak_activation_gradients: "DiffBytes"
    peak_outputs: "DiffBytes"
    peak_workspaces: "DiffBytes"
    peak_communication: "DiffBytes"
    peak_graph_pools: "DiffBytes"
    peak_temporary: "DiffBytes"
    peak_not_labelled: "DiffBytes"


class DiffCount(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    unit: Literal["count"]
    base: Union[int, None]
    new: Union[int, None]
    change: Union[int, None]


class DiffEvent(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    base: int
    new: int
    first_difference: Union["DiffEventFirstDifference", None]


class DiffEventFirstDifference(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    device: int
    event: int
    base: str
    new: str


class DiffGroup(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    group: str
    fate: Literal["grown", "shrunk", "new", "gone"]
    base_bytes: int
    new_bytes: int
    change_bytes: int
    base_requested_bytes: int
    new_requested_bytes: int
    base_blocks: int
    new_blocks: int


class DiffLimit(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    limit: str
    origin: str
    metric: str
    base: Union[float, None]
    new: float
    broken: bool


class DiffNanoseconds(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    unit: Literal["nanoseconds"]
    base: Union[int, None]
    new: Union[int, None]
    change: Union[int, None]


class DiffRatio(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    unit: Literal["ratio"]
    base: Union[float, None]
    new: Union[float, None]
    change: Union[float, None]


class DiffSide(Value):
    """A part of vramlab diff --json."""

    __slots__ = ()
    file: str
    kind: Literal["a recording", "a snapshot without a history", "a program", "a report"]
    event: Union[int, None]
    at_end: bool
    notes: List[str]


class DryRunAdvice(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    conf: str
    peak_reserved: int
    recorded_peak_reserved: int
    trust: Literal["exact", "modelled", "guessed"]


class DryRunBrokenLimit(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    limit: str
    process: int
    value: str


class DryRunDevice(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    device: int
    label: Literal["exact", "approximate", "not replayed", "final state only", "different"]
    metrics: Mapping[str, float]
    failures: int
    first_failure: Union[None, "DryRunDeviceFirstFailure"]
    holder: Union[str, None]
    held_bytes: int
    allocated_at_peak_bytes: int
    kinds: List["DryRunDeviceKind"]
    growth: Union[None, "DryRunDeviceGrowth"]


class DryRunDeviceFirstFailure(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    event: int
    requested_bytes: int
    place: Union[str, None]


class DryRunDeviceGrowth(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    steps_in_round: int
    rounds: int
    bytes: int
    parts: List["DryRunDeviceGrowthPart"]


class DryRunDeviceGrowthPart(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    name: str
    bytes: int


class DryRunDeviceKind(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    kind: str
    bytes: int


class DryRunNote(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    kind: str
    subject: str
    count: int
    last_place: Union[str, None]
    places: List["DryRunNotePlace"]


class DryRunNotePlace(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    place: str
    count: int


class DryRunProcess(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    process: int
    program: str
    history: Union[str, None]
    used_driver: bool
    python: Union[None, "DryRunPython"]
    devices: List["DryRunDevice"]
    driver: List["DryRunProcessDriver"]
    pinned: "DryRunProcessPinned"
    notes: List["DryRunNote"]


class DryRunProcessDriver(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    index: int
    peak_used_bytes: int
    peak_managed_bytes: int
    managed_at_peak_bytes: int
    peak_with_managed_bytes: int


class DryRunProcessPinned(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    peak_bytes: int
    count: int
    calls: List["DryRunProcessPinnedCall"]


class DryRunProcessPinnedCall(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    call: Literal["host_alloc", "host_free", "host_register", "host_unregister"]
    bytes: int


class DryRunPython(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    torch: Union[str, None]
    torch_cuda: Union[str, None]
    kernel_code: List[str]
    cuda_came_up: bool
    rank: Union[str, None]
    steps: int
    ended_after_steps: bool
    error: Union[None, "DryRunPythonError"]
    waits_at: Union[str, None]
    made_up_sizes: List["DryRunPythonMadeUpSize"]
    troubles: List[str]
    missing_functions: List[str]


class DryRunPythonError(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    type: str
    place: Union[str, None]


class DryRunPythonMadeUpSize(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    place: str
    count: int
    none: int


class DryRunRank(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    rank: int
    exit_status: int


class DryRunReservedByPlace(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    device: int
    least_bytes: int
    most_bytes: int


class DryRunShared(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    order: str
    processes: List["DryRunSharedProcesse"]
    devices: List["DryRunSharedDevice"]


class DryRunSharedDevice(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    index: int
    peak_bytes: int
    peak_time_us: int
    held_at_peak: List["DryRunSharedDeviceHeldAtPeak"]
    refusals: List["DryRunSharedDeviceRefusal"]
    events_left_out: int
    events: List["DryRunSharedDeviceEvent"]


class DryRunSharedDeviceEvent(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    time_us: int
    process: int
    use: Literal["took", "gave", "refused", "ended"]
    bytes: int
    held_bytes: int
    held_by_all_bytes: int


class DryRunSharedDeviceHeldAtPeak(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    process: int
    held_bytes: int


class DryRunSharedDeviceRefusal(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    time_us: int
    process: int
    bytes: int
    held: List["DryRunSharedDeviceRefusalHeld"]


class DryRunSharedDeviceRefusalHeld(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    process: int
    held_bytes: int


class DryRunSharedProcesse(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    process: int
    command: str


class DryRunSmallestGpu(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    name: Union[str, None]
    available_bytes: Union[int, None]
    larger_gpus: int
    without_code: Union[str, None]


class DryRunSmallestGpuWithoutPaging(Value):
    """A part of vramlab dry-run --json FILE."""

    __slots__ = ()
    name: Union[str, None]
    available_bytes: Union[int, None]
    larger_gpus: int
    without_code: Union[str, None]


class Eager(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    label: Literal["exact", "approximate"]
    verify: Literal["exact", "approximate", "not replayed", "final state only", "different"]
    recorded_peak_requested_bytes: int
    recorded_peak_reserved_bytes: int
    as_recorded: "Peaks"
    at_once: "Peaks"


class ExplainAnswer(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    file: str
    device: int
    headline: str
    text: str
    lines: List["ExplainAnswerLine"]
    metrics: "ExplainMetrics"
    event: Union[int, None]
    state: Union[None, "ExplainMetrics"]
    reserved_before_bytes: int
    failures: int
    out_of_memory: Union[None, "ExplainExplained"]
    holders: List["ExplainAnswerHolder"]
    held_bytes: int
    kinds: List["ExplainAnswerKind"]
    levers: List["ExplainAnswerLever"]
    stranding: List["ExplainAnswerStranding"]
    advice: Union[None, "ExplainAnswerAdvice"]
    smallest_gpu: Union[None, "ExplainAnswerSmallestGpu"]
    trust: Union[Literal["exact", "modelled", "guessed"], None]
    doubts: List[str]


class ExplainAnswerAdvice(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    conf: str
    peak_reserved: int
    recorded_peak_reserved: int
    trust: Literal["exact", "modelled", "guessed"]


class ExplainAnswerHolder(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    call_site: str
    bytes: int
    blocks: int


class ExplainAnswerKind(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    kind: str
    bytes: int
    blocks: int


class ExplainAnswerLever(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    name: str
    saves_at_most_bytes: int
    rule: str


class ExplainAnswerLine(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    name: str
    text: str


class ExplainAnswerSmallestGpu(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    name: Union[str, None]
    available_bytes: Union[int, None]
    larger_gpus: int
    without_code: Union[str, None]


class ExplainAnswerStranding(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    call_site: str
    stranded_bytes: int
    blocks: int


class ExplainExplained(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    device: int
    event: int
    call_site: Union[str, None]
    stack: Union[str, None]
    requested_bytes: int
    rounded_bytes: int
    stream: int
    pool_kind: Literal["small", "large"]
    pool_id: List[int]
    device_request_bytes: int
    free_in_lane_bytes: int
    largest_free_in_lane_bytes: int
    kept_by_split_limit_bytes: int
    passed_over_bytes: int
    is_of_unknown_pool: bool
    free_on_other_streams_bytes: int
    free_in_other_half_bytes: int
    free_in_other_pools_bytes: int
    device_free_bytes: Union[int, None]
    allowed_bytes: Union[int, None]
    capacity_bytes: Union[int, None]
    exceeded_reserve_bytes: Union[int, None]
    shortfall_bytes: Union[int, None]
    enough_to_free: List["Pinner"]
    least_memory_bytes: Union[int, None]
    least_for_any_setting_bytes: int
    tried: List["ExplainExplainedTried"]
    text: str


class ExplainExplainedTried(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    added_options: str
    options: str
    passes: bool
    runs_through: bool


class ExplainMemoryTimeline(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    headline: str
    text: str
    timeline: "Timeline"


class ExplainMetrics(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    allocated: int
    waiting: int
    active: int
    requested: int
    rounding_waste: int
    reserved: int
    free: int
    inactive_split: int
    releasable: int
    pool_held: int
    stranded: int
    largest_free: int
    largest_cached: int
    largest_possible: int
    external_fragmentation: float
    usable_share: float
    segments: int
    blocks: int
    live_blocks: int
    holes: int
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int


class ExplainRecording(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    file: str
    device: int
    events: int
    peak_allocated_bytes: Union[int, None]
    peak_reserved_bytes: Union[int, None]
    failures: int
    worst_line: Union[str, None]


class Failed(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    file: str
    device: int
    event: int
    requested_bytes: int


class Figures(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    file: str
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int
    out_of_memory_at: Union[None, "Failed"]
    stopped_at: Union[int, None]
    depends_from: Union[int, None]
    can_be_judged: bool


class FitProof(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    value: Union[str, None]
    end: Literal["fits", "fits after failures", "out of memory", "went on with less", "over a limit", "ended otherwise"]
    exit_status: int
    error: Union[str, None]
    peak_reserved_bytes: int
    peak_allocated_bytes: int
    worst_process: Union[str, None]
    out_of_memory: Union[None, "FitProofOutOfMemory"]
    history: Union[str, None]


class FitProofOutOfMemory(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    requested_bytes: int
    place: Union[str, None]
    process: Union[str, None]


class FitRow(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    placeholders: Mapping[str, str]
    gpu: str
    memory_bytes: int
    conf: Union[str, None]
    is_advised: bool
    is_answered: bool
    problem: Union[str, None]
    largest: Union[None, "FitProof"]
    next: Union[None, "FitProof"]
    failed_below: List[str]
    headroom_bytes: Union[int, None]
    least_need_bytes: Union[int, None]
    growth: Union[None, "FitRowGrowth"]


class FitRowGrowth(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    bytes_for_one: float
    constant_bytes: float
    kinds: List["FitRowGrowthKind"]


class FitRowGrowthKind(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    kind: str
    bytes_for_one: float


class FitRun(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    placeholders: Mapping[str, str]
    value: Union[str, None]
    gpu: str
    memory_bytes: Union[int, None]
    conf: Union[str, None]
    exit_status: int
    failed_requests: int
    peak_reserved_bytes: int
    peak_allocated_bytes: int
    held_by: Union[Literal["kind", "line"], None]
    held: List["FitRunHeld"]
    processor_seconds: float
    host_bytes: int
    was_kept: bool


class FitRunHeld(Value):
    """A part of vramlab fit --json."""

    __slots__ = ()
    name: str
    bytes: int


class Frame(Value):
    """A part of vramlab top --growth --json."""

    __slots__ = ()
    name: str
    filename: str
    line: Union[int, None]


class GenerateListWorkload(Value):
    """A part of vramlab generate --list --json."""

    __slots__ = ()
    name: str
    description: str
    options: List["GenerateListWorkloadOption"]


class GenerateListWorkloadOption(Value):
    """A part of vramlab generate --list --json."""

    __slots__ = ()
    name: str
    meaning: str
    default: int
    least: int
    most: int


class InfoDevice(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    device: int
    events: int
    events_by_action: Mapping[str, int]
    first_time_us: Union[int, None]
    last_time_us: Union[int, None]
    history: Literal["whole", "cut", "segments only", "inconsistent"]
    history_reason: str
    segments: "InfoSegments"
    peak_requested_bytes: Union[int, None]
    peak_reserved_bytes: Union[int, None]
    least_device_memory_bytes: Union[int, None]
    streams: List[int]
    pools: List[List[int]]


class InfoFile(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    file: str
    format: str
    packing: str
    encoding: str
    bytes: int
    bare_list: bool
    version: str
    version_reason: str
    devices: List["InfoDevice"]
    host: Union[None, "InfoHost"]
    settings: Union[Mapping[str, str], None]
    annotations: int
    ring_overflowed: bool
    texts: int
    frames: int
    stacks: int
    unknown_keys: List[str]
    unknown_actions: List[str]
    unknown_states: List[str]
    signs_of_synthesis: List[str]
    program: Union["InfoProgram", None]
    log: Union["InfoLog", None]
    timeline: Union["Timeline", None]
    test: Union[str, None]


class InfoHost(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    device: int
    events: int
    events_by_action: Mapping[str, int]
    first_time_us: Union[int, None]
    last_time_us: Union[int, None]
    history: Literal["whole", "cut", "segments only", "inconsistent"]
    history_reason: str
    segments: "InfoSegments"
    peak_allocated_bytes: Union[int, None]
    peak_active_bytes: Union[int, None]
    peak_reserved_bytes: Union[int, None]
    least_device_memory_bytes: Union[int, None]
    streams: List[int]
    pools: List[List[int]]


class InfoLog(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    failed_requests: int
    mallocs_before_begin: int
    assumed_frees: int
    lone_frees: int
    empty_requests: int
    events_of_other_devices: int
    was_sorted: bool


class InfoProgram(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    origin: str
    reference: str
    settings: str
    devices: List["InfoProgramDevice"]
    events: int
    events_by_kind: Mapping[str, int]
    requested_bytes: int
    first_time_ns: Union[int, None]
    last_time_ns: Union[int, None]


class InfoProgramDevice(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    device: int
    memory_bytes: int
    name: str


class InfoSegments(Value):
    """A part of vramlab info --json."""

    __slots__ = ()
    count: int
    expandable: int
    reserved_bytes: int
    allocated_bytes: int
    active_bytes: int
    requested_bytes: int
    blocks: int
    active_blocks: int


class Kind(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    kind: str
    at_peak_bytes: int
    most_bytes: int
    at_end_bytes: int


class LiveCall(Value):
    """A part of vramlab live --json."""

    __slots__ = ()
    call: str
    up_to_bytes: int
    count: int
    failed: int
    median_nanoseconds: int
    p95_nanoseconds: int
    max_nanoseconds: int
    sum_nanoseconds: int


class LiveDevice(Value):
    """A part of vramlab live --json."""

    __slots__ = ()
    device: int
    device_memory_bytes: int
    requests: int
    frees: int
    out_of_memory: int
    peak_allocated_bytes: int
    peak_reserved_bytes: int
    same_decisions: bool
    compared_events: int
    compared_memory_calls: int
    first_difference: Union["LiveDeviceFirstDifference", None]


class LiveDeviceFirstDifference(Value):
    """A part of vramlab live --json."""

    __slots__ = ()
    event: Union[int, None]
    what: str
    simulated: str
    live: str


class LiveDriverMemory(Value):
    """A part of vramlab live --json."""

    __slots__ = ()
    total_bytes: int
    free_at_start_bytes: int
    least_free_bytes: int
    free_at_end_bytes: int


class LiveGpu(Value):
    """A part of vramlab live --json."""

    __slots__ = ()
    index: int
    name: str
    compute_capability: str
    memory_bytes: int


class LowerBounds(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    peak_requested: int
    peak_rounded: int
    sum_of_stream_peaks: int
    streams: List["LowerBoundsStream"]


class LowerBoundsStream(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    stream: int
    peak_bytes: int


class PackGroup(Value):
    """A part of vramlab pack --json."""

    __slots__ = ()
    device: Union[int, None]
    buffers: int
    lower_bounds: Union[None, "LowerBounds"]
    load_bound: int
    tried: List["Tried"]
    left_out: List[str]
    best: "PackGroupBest"
    peak_reserved: Union[int, None]
    fits: Union[bool, None]


class PackGroupBest(Value):
    """A part of vramlab pack --json."""

    __slots__ = ()
    heuristic: str
    bytes: int
    is_optimal: bool


class Peaks(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    peak_allocated_bytes: int
    peak_active_bytes: int
    peak_requested_bytes: int
    peak_reserved_bytes: int
    failed_requests: int


class Pinner(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    address: int
    bytes: int
    requested_bytes: int
    stranded_bytes: int
    released_alone_bytes: int
    live_blocks_beside: int
    segment: int
    segment_bytes: int
    is_expandable: bool
    pool_kind: Literal["small", "large"]
    pool_id: List[int]
    stream: int
    event: Union[int, None]
    time_ns: Union[int, None]
    call_site: Union[str, None]


class PoliciesDevice(Value):
    """A part of vramlab policies --json."""

    __slots__ = ()
    device: int
    peak_requested: int
    memory_limit: Union[int, None]
    best_packing: "PoliciesDeviceBestPacking"
    policies: List["PoliciesRun"]


class PoliciesDeviceBestPacking(Value):
    """A part of vramlab policies --json."""

    __slots__ = ()
    heuristic: str
    bytes: int
    load_bound: int
    is_optimal: bool
    left_out: List[str]


class PoliciesMetrics(Value):
    """A part of vramlab policies --json."""

    __slots__ = ()
    requests: int
    frees: int
    peak_requested: int
    peak_reserved: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    out_of_memory: int


class PoliciesRun(Value):
    """A part of vramlab policies --json."""

    __slots__ = ()
    policy: str
    is_in_pytorch: bool
    metrics: "PoliciesMetrics"
    unused_at_peak: float
    units_remapped: int
    stream_waits: int
    notes: List[str]


class RanksPeakReservedByte(Value):
    """A part of vramlab ranks --json."""

    __slots__ = ()
    most: int
    mean: int
    median: int
    least: int


class RanksRow(Value):
    """A part of vramlab ranks --json."""

    __slots__ = ()
    file: str
    device: int
    events: int
    peak_allocated_bytes: Union[int, None]
    peak_reserved_bytes: Union[int, None]
    of_mean: Union[float, None]
    failures: int
    worst_line: Union[str, None]
    worst_line_bytes: Union[int, None]
    outlier: List[str]


class Refused(Value):
    """A part of vramlab advise --json."""

    __slots__ = ()
    conf: str
    as_recorded: bool
    refused: str


class Release(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    call_event: int
    event: int
    released_bytes: int
    completed_frees: int
    completed_bytes: int
    still_waiting: int
    synchronised: bool
    stall_shown_us: Union[int, None]
    stall_at_most_us: Union[int, None]


class ReplayCurve(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    events_per_step: int
    last_event: int
    allocated_bytes: List[int]
    reserved_bytes: List[int]


class ReplayDevice(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    device: int
    memory_bytes: Union[int, None]
    memory_origin: str
    held_by_others_bytes: Union[int, None]
    requests: int
    frees: int
    peak_allocated: "ReplayPeak"
    peak_reserved: "ReplayPeak"
    peak_requested_bytes: int
    peak_active_bytes: int
    recorded_peak_requested_bytes: Union[int, None]
    recorded_peak_reserved_bytes: Union[int, None]
    private_pools: List["ReplayDevicePrivatePool"]
    end: "ReplayDeviceEnd"
    device_allocs: int
    device_frees: int
    units_mapped: int
    alloc_retries: int
    stream_ordered: Union["ReplayPool", None]
    metrics: "ReplayMetrics"
    curve: "ReplayCurve"
    out_of_memory: List["ReplayFailure"]
    depends_from: Union[int, None]
    recorded_counts: Union[None, "ReplayDeviceRecordedCount"]


class ReplayDeviceEnd(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    allocated_bytes: int
    requested_bytes: int
    active_bytes: int
    reserved_bytes: int
    inactive_split_bytes: int
    segments: int


class ReplayDevicePrivatePool(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    pool_id: List[int]
    reserved_bytes: int
    peak_reserved_bytes: int
    got_bytes: int
    gave_back_bytes: int


class ReplayDeviceRecordedCount(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    device_allocs: int
    device_frees: int
    out_of_memory: int


class ReplayExplained(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    device: int
    event: int
    call_site: Union[str, None]
    stack: Union[str, None]
    requested_bytes: Union[int, None]
    rounded_bytes: int
    stream: int
    pool_kind: Literal["small", "large"]
    pool_id: List[int]
    device_request_bytes: int
    free_in_lane_bytes: int
    largest_free_in_lane_bytes: int
    kept_by_split_limit_bytes: int
    passed_over_bytes: int
    is_of_unknown_pool: bool
    free_on_other_streams_bytes: int
    free_in_other_half_bytes: int
    free_in_other_pools_bytes: int
    device_free_bytes: Union[int, None]
    allowed_bytes: Union[int, None]
    capacity_bytes: Union[int, None]
    exceeded_reserve_bytes: Union[int, None]
    shortfall_bytes: Union[int, None]
    enough_to_free: List["Pinner"]
    least_memory_bytes: Union[int, None]
    least_for_any_setting_bytes: int
    tried: List["ReplayExplainedTried"]
    text: str


class ReplayExplainedTried(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    added_options: str
    options: str
    passes: bool
    runs_through: bool


class ReplayFailure(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    event: int
    call_site: Union[str, None]
    stream: int
    requested_bytes: int
    device_request_bytes: int
    device_free_bytes: int
    allocated_bytes: int
    reserved_bytes: int
    message: str


class ReplayHost(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    requests: int
    frees: int
    requested_bytes: int
    given_bytes: int
    peak_requested: "ReplayPeak"
    peak_active: "ReplayPeak"
    peak_pinned: "ReplayPeak"
    end_active_bytes: int
    end_pinned_bytes: int
    statistics: "ReplayHostStatistic"
    calls: List["ReplayHostCall"]


class ReplayHostCall(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    event: int
    call: str
    bytes: int


class ReplayHostStatistic(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    active_requests: "ReplayHostStatistic"
    active_bytes: "ReplayHostStatistic"
    allocations: "ReplayHostStatistic"
    allocated_bytes: "ReplayHostStatistic"
    num_host_alloc: int
    num_host_free: int
    bucket_allocation: Mapping[str, int]


class ReplayMetrics(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    allocated: int
    waiting: int
    active: int
    requested: int
    rounding_waste: int
    reserved: int
    free: int
    inactive_split: int
    releasable: int
    pool_held: int
    stranded: int
    largest_free: int
    largest_cached: int
    largest_possible: int
    external_fragmentation: float
    usable_share: float
    segments: int
    blocks: int
    live_blocks: int
    holes: int
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int


class ReplayPeak(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    bytes: int
    event: int
    time_ns: Union[int, None]


class ReplayPool(Value):
    """A part of vramlab replay --json."""

    __slots__ = ()
    reused: int
    made_to_wait: int
    moved: int
    grown: int
    units_created: int
    units_moved: int
    units_released: int


class ReportRun(Value):
    """A part of vramlab report --json."""

    __slots__ = ()
    file: str
    options: Union[str, None]


class SampleSample(Value):
    """A part of vramlab sample --json."""

    __slots__ = ()
    name: str
    file: str
    description: str
    question: str
    output: Union[str, None]


class ServeEngineSays(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    device_bytes: Union[int, None]
    free_bytes: Union[int, None]
    requested_bytes: Union[int, None]
    weights_bytes: Union[int, None]
    activations_bytes: Union[int, None]
    room_bytes: Union[int, None]
    graphs_estimate_bytes: Union[int, None]
    graphs_bytes: Union[int, None]
    cache_budget_bytes: Union[int, None]
    cache_bytes: Union[int, None]
    cache_blocks: Union[int, None]
    block_tokens: Union[int, None]
    cache_tokens: Union[int, None]
    longest_request: Union[int, None]
    tokens_in_batch: Union[int, None]
    requests_in_batch: Union[int, None]
    rank: Union[int, None]
    ranks: Union[int, None]
    steps: Union[int, None]
    tokens_in_step: Union[int, None]
    asleep_bytes: Union[int, None]
    asleep_host_bytes: Union[int, None]
    awake_bytes: Union[int, None]
    utilization: Union[float, None]
    most_requests: Union[float, None]
    graphs_mode: Union[str, None]


class ServeLoad(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    requests: int
    answered: int
    failure: Union[str, None]
    shapes: List["ServeLoadShape"]


class ServeLoadShape(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    count: int
    prompt_tokens: int
    answer_tokens: int


class ServeProcess(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    process: int
    engine: str
    version: Union[str, None]
    torch: Union[str, None]
    is_ready: bool
    failed_in: Union[str, None]
    parts: "ServeProcessPart"
    graph_sizes: List["ServeProcessGraphSize"]
    engine_says: "ServeEngineSays"
    not_found: List[str]
    doubts: List[str]


class ServeProcessGraphSize(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    size: Union[str, None]
    graphs: int
    bytes: int


class ServeProcessPart(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    weights: Union[int, None]
    activations: Union[int, None]
    graphs: Union[int, None]
    beside_graphs: Union[int, None]
    cache: Union[int, None]
    cache_tokens: Union[int, None]
    buffers: Union[int, None]
    outside: Union[int, None]
    activations_in_steps: Union[int, None]
    peak_with_cache: Union[int, None]
    left: Union[int, None]
    possible_cache: Union[int, None]
    possible_cache_tokens: Union[int, None]


class ServeSleep(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    level: int
    woke_up: bool


class ServeUtilization(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    largest: Union[float, None]
    next: Union[float, None]
    runs: List["ServeUtilizationRun"]


class ServeUtilizationRun(Value):
    """A part of vramlab serve --json."""

    __slots__ = ()
    utilization: float
    has_started: bool
    cache_tokens: Union[int, None]


class SnapshotBlock(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    address: int
    bytes: int
    requested_bytes: int
    state: Literal["active_allocated", "active_pending_free", "inactive"]


class SnapshotDevice(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    device: int
    reserved_bytes: int
    allocated_bytes: int
    waiting_bytes: int
    free_bytes: int
    largest_free_bytes: int
    releasable_bytes: int
    event: Union[int, None]
    time_ns: Union[int, None]
    metrics: "SnapshotMetrics"
    pools: List["SnapshotDevicePool"]
    streams: List["SnapshotDeviceStream"]
    holes: List["SnapshotDeviceHole"]
    pinners: List["Pinner"]
    segments: List["SnapshotSegment"]


class SnapshotDeviceHole(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    pool_kind: Literal["small", "large"]
    from_bytes: int
    count: int
    bytes: int


class SnapshotDevicePool(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    pool_id: List[int]
    pool_kind: Literal["small", "large"]
    metrics: "SnapshotMetrics"


class SnapshotDeviceStream(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    stream: int
    metrics: "SnapshotMetrics"


class SnapshotExplained(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    device: int
    event: int
    call_site: Union[str, None]
    stack: Union[str, None]
    requested_bytes: Union[int, None]
    rounded_bytes: int
    stream: int
    pool_kind: Literal["small", "large"]
    pool_id: List[int]
    device_request_bytes: int
    free_in_lane_bytes: int
    largest_free_in_lane_bytes: int
    kept_by_split_limit_bytes: int
    passed_over_bytes: int
    is_of_unknown_pool: bool
    free_on_other_streams_bytes: int
    free_in_other_half_bytes: int
    free_in_other_pools_bytes: int
    device_free_bytes: Union[int, None]
    allowed_bytes: Union[int, None]
    capacity_bytes: Union[int, None]
    exceeded_reserve_bytes: Union[int, None]
    shortfall_bytes: Union[int, None]
    enough_to_free: List["Pinner"]
    least_memory_bytes: Union[int, None]
    least_for_any_setting_bytes: int
    tried: List["SnapshotExplainedTried"]
    text: str


class SnapshotExplainedTried(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    added_options: str
    options: str
    passes: bool
    runs_through: bool


class SnapshotHost(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    pinned_bytes: int
    allocated_bytes: int
    waiting_bytes: int
    free_bytes: int
    blocks: List["SnapshotHostBlock"]


class SnapshotHostBlock(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    address: int
    bytes: int
    state: Literal["active_allocated", "active_pending_free", "inactive"]
    pool_id: List[int]
    event: Union[int, None]
    time_ns: Union[int, None]
    call_site: Union[str, None]


class SnapshotMetrics(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    allocated: int
    waiting: int
    active: int
    requested: int
    rounding_waste: int
    reserved: int
    free: int
    inactive_split: int
    releasable: int
    pool_held: int
    stranded: int
    largest_free: int
    largest_cached: int
    largest_possible: int
    external_fragmentation: float
    usable_share: float
    segments: int
    blocks: int
    live_blocks: int
    holes: int
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int


class SnapshotSegment(Value):
    """A part of vramlab snapshot --json."""

    __slots__ = ()
    address: int
    total_bytes: int
    stream: int
    pool_kind: Literal["small", "large"]
    pool_id: List[int]
    is_expandable: bool
    map: str
    blocks: List["SnapshotBlock"]


class Spread(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    min: int
    median: int
    max: int


class StepsBeside(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    reference: str
    steps: List["StepsStep"]


class StepsBlock(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    address: int
    bytes: int
    requested_bytes: int
    state: Literal["active_allocated", "active_pending_free", "inactive"]
    id: Union[int, None]
    name: Union[str, None]


class StepsDevice(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    device: int
    memory_bytes: Union[int, None]


class StepsEntry(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    action: str
    address: int
    device_free_bytes: int
    bytes: int
    stream: int


class StepsSegment(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    address: int
    bytes: int
    stream: int
    kind: Literal["small", "large", "pinned"]
    pool: List[int]
    is_expandable: bool
    blocks: List["StepsBlock"]


class StepsStep(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    event: int
    memory: Literal["device", "pinned"]
    device: int
    record: str
    line: str
    rules: List[str]
    entries: List["StepsEntry"]
    failure: Union[str, None]
    call_site: Union[str, None]
    passed_over: List["StepsStepPassedOver"]
    not_split: Union["StepsStepNotSplit", None]
    counters: List["StepsStepCounter"]
    allocated_bytes: int
    reserved_bytes: int
    segments: List["StepsSegment"]


class StepsStepCounter(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    name: str
    before: int
    after: int


class StepsStepNotSplit(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    rest_bytes: int
    reason: str
    rule: str


class StepsStepPassedOver(Value):
    """A part of vramlab steps --json."""

    __slots__ = ()
    address: int
    bytes: int
    reason: str
    rule: str


class StreamsProgramActivity(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    time_ns: int
    streams: List["StreamsProgramActivityStream"]
    devices: List["StreamsProgramActivityDevice"]
    threads: List["StreamsProgramActivityThread"]


class StreamsProgramActivityDevice(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    device: int
    busy_ns: int
    overlapped_ns: int


class StreamsProgramActivityStream(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    device: int
    stream: int
    work: int
    graph_launches: int
    busy_ns: int
    held_up_ns: int
    first_begin_ns: int
    last_end_ns: int


class StreamsProgramActivityThread(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    thread: int
    waits: int
    waited_ns: int


class StreamsProgramEndlessWait(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    threads: List["StreamsProgramEndlessWaitThread"]
    streams: List["StreamsProgramEndlessWaitStream"]


class StreamsProgramEndlessWaitStream(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    event: int
    place: str
    device: int
    stream: int
    flag: Union[int, None]


class StreamsProgramEndlessWaitThread(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    event: int
    place: str
    thread: int
    since_ns: int


class StreamsProgramHazard(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    kind: str
    count: int
    first: "StreamsProgramSide"
    second: "StreamsProgramSide"
    about: str
    memory: Union["StreamsProgramMemory", None]
    mend: str


class StreamsProgramMemory(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    address: int
    bytes: int


class StreamsProgramPeaksByDevice(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    device: int
    peak_allocated_bytes: int
    peak_reserved_bytes: int
    failed_requests: int


class StreamsProgramRefusedCall(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    event: int
    place: str
    call: str
    error: str


class StreamsProgramSide(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    event: int
    place: str
    is_known: bool
    device: int
    stream: int
    thread: int
    work: Union[str, None]
    reads: bool
    writes: bool
    text: str


class SweepLateStart(Value):
    """A part of vramlab sweep --json, its shards, and vramlab merge --json."""

    __slots__ = ()
    file: str
    device: int
    reserved_before_bytes: int
    peak_reserved_bytes: int


class SweepRow(Value):
    """A part of vramlab sweep --json, its shards, and vramlab merge --json."""

    __slots__ = ()
    conf: str
    as_recorded: bool
    refused: None
    worst_file: str
    requests: int
    frees: int
    peak_allocated: int
    peak_active: int
    peak_requested: int
    peak_reserved: int
    stranded_at_peak: int
    end_allocated: int
    end_reserved: int
    device_allocs: int
    device_frees: int
    units_mapped: int
    units_unmapped: int
    device_bytes: int
    device_churn: int
    alloc_retries: int
    stream_synchronisations: int
    device_time: int
    out_of_memory: int
    host_requests: int
    host_frees: int
    host_peak_requested: int
    host_peak_active: int
    host_peak_pinned: int
    host_end_pinned: int
    host_allocs: int
    host_releases: int
    out_of_memory_at: Union[None, "Failed"]
    stopped_at: Union[int, None]
    depends_from: Union[int, None]
    can_be_judged: bool
    files: List["Figures"]


class SweepShard(Value):
    """A part of vramlab sweep --json, its shards, and vramlab merge --json."""

    __slots__ = ()
    index: int
    count: int


class TableColumn(Value):
    """A part of vramlab table --json."""

    __slots__ = ()
    name: str
    type: Literal["integer", "address", "text"]
    unit: Union[Literal["bytes", "nanoseconds"], None]
    empty_cells: int
    parts: Union[None, "TableNumberParts", "TableTextParts"]


class TableNumberParts(Value):
    """A part of vramlab table --json."""

    __slots__ = ()
    validity: Union[None, "TablePlace"]
    cells: "TablePlace"


class TablePlace(Value):
    """A part of vramlab table --json."""

    __slots__ = ()
    offset: int
    bytes: int


class TableTextParts(Value):
    """A part of vramlab table --json."""

    __slots__ = ()
    validity: Union[None, "TablePlace"]
    cells: "TablePlace"
    text_ends: "TablePlace"
    texts: "TablePlace"
    text_count: int


class Timeline(Value):
    """A part of vramlab explain --json."""

    __slots__ = ()
    moments: int
    first_time_us: int
    last_time_us: int
    peak_time_us: int
    peak_bytes: int
    kinds: List["Kind"]


class TopDevice(Value):
    """A part of vramlab top --json."""

    __slots__ = ()
    device: int
    has_history: bool
    events: int
    event: Union[int, None]
    since_begin_ns: Union[int, None]
    bytes_are: Literal["blocks", "rounded_requests"]
    bytes: int
    requested_bytes: int
    blocks: int
    groups: List["TopGroup"]
    more: "TopDeviceMore"


class TopDeviceMore(Value):
    """A part of vramlab top --json."""

    __slots__ = ()
    groups: int
    bytes: int
    requested_bytes: int
    blocks: int


class TopGroup(Value):
    """A part of vramlab top --json."""

    __slots__ = ()
    key: str
    bytes: int
    requested_bytes: int
    blocks: int
    stack: List["Frame"]


class TopGrowthDevice(Value):
    """A part of vramlab top --growth --json."""

    __slots__ = ()
    device: int
    iteration_ends: int
    how_found: str
    is_enough: bool
    first_held_bytes: int
    last_held_bytes: int
    growing_sites: int
    sites: List["TopGrowthSite"]


class TopGrowthSite(Value):
    """A part of vramlab top --growth --json."""

    __slots__ = ()
    key: str
    bytes_per_iteration: float
    blocks_per_iteration: float
    steady_iterations: int
    grown_bytes: int
    grown_blocks: int
    held_bytes: int
    held_blocks: int
    stack: List["Frame"]


class Tried(Value):
    """A part of vramlab capacity --json."""

    __slots__ = ()
    heuristic: str
    bytes: int


class VerifyAgreement(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    total: int
    exact: int


class VerifyDevice(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    device: int
    label: Literal["exact", "approximate", "not replayed", "final state only", "different"]
    reasons: List[str]
    event_count: int
    starts_empty: bool
    allocs: "VerifyAgreement"
    segment_calls: "VerifyDeviceSegmentCall"
    reserved_after_calls: "VerifyAgreement"
    replayed_entries: "VerifyAgreement"
    final_segments: "VerifyAgreement"
    final_blocks: "VerifyAgreement"
    inferred: "VerifyDeviceInferred"
    allowed_memory: Union[None, "VerifyDeviceAllowedMemory"]
    unexplained_events: List[int]
    first_difference: Union["VerifyDifference", None]


class VerifyDeviceAllowedMemory(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    at_least: int
    at_most: int


class VerifyDeviceInferred(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    pool_assumed_segments: int
    pool_assumed_allocs: int
    emptied_caches: int
    ended_pools: int
    release_all_or_empty_cache: int
    garbage_collections: int
    garbage_shaped: int
    oversize_releases: int
    assumed_extents: int
    waiting_frees: int
    awaited_frees: int
    out_of_memory: int
    out_of_memory_in_private_pools: int
    mode_changes: int


class VerifyDeviceSegmentCall(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    total: int
    explained: int
    taken_from_recording: int
    wrong: int


class VerifyDifference(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    event: int
    text: str


class VerifyFile(Value):
    """A part of vramlab verify --json."""

    __slots__ = ()
    file: str
    label: Literal["exact", "approximate", "not replayed", "final state only", "different"]
    reference: str
    reference_is_guessed: bool
    file_version: str
    options: str
    devices: List["VerifyDevice"]


class VramlabBudgetBudget(Value):
    """A part of .vramlab.json: the limits of vramlab diff that a repository keeps."""

    __slots__ = ()
    files: str
    fail_if: List[str]


class Waited(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    frees: int
    bytes: int
    byte_seconds: Union[int, None]
    byte_microseconds_rest: Union[int, None]
    byte_events: int


class WaitingDevice(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    device: int
    events: int
    span_us: Union[int, None]
    is_known: bool
    immediate_frees: int
    contradictions: int
    final_waiting_blocks: int
    final_waiting_bytes: int
    waited: "Waited"
    waiting_at_beginning: "Waited"
    waiting_at_end: "Waited"
    max_bytes: int
    max_bytes_event: Union[int, None]
    mean_bytes: int
    wait_us: Union["Spread", None]
    wait_events: Union["Spread", None]
    held: "WaitingDeviceHeld"
    if_completed_at_once: Union["Eager", None]
    releases: List["Release"]
    streams: List["WaitingDeviceStream"]
    call_sites: List["WaitingDeviceCallSite"]
    findings: List[str]


class WaitingDeviceCallSite(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    allocated_at: Union[str, None]
    freed_at: Union[str, None]
    frees: int
    bytes: int
    byte_seconds: Union[int, None]
    byte_microseconds_rest: Union[int, None]
    byte_events: int


class WaitingDeviceHeld(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    unit: Literal["us", "events"]
    steps: List["WaitingDeviceHeldStep"]


class WaitingDeviceHeldStep(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    to: int
    max_bytes: int


class WaitingDeviceStream(Value):
    """A part of vramlab streams --json of a program."""

    __slots__ = ()
    stream: int
    frees: int
    bytes: int
    byte_seconds: Union[int, None]
    byte_microseconds_rest: Union[int, None]
    byte_events: int


class WatchDevice(Value):
    """A part of vramlab watch --json."""

    __slots__ = ()
    device: int
    allocated_bytes: int
    reserved_bytes: int
    stranded_bytes: int
    peak_allocated_bytes: int
    peak_reserved_bytes: int
    peak_stranded_bytes: int
    failures: int


class WatchProcess(Value):
    """A part of vramlab watch --json."""

    __slots__ = ()
    pid: int
    rank: Union[int, None]
    program: str
    state: Literal["running", "ended", "gone"]
    failures: int
    explanation: Union[str, None]
    devices: List["WatchDevice"]
