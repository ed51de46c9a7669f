"""A replay's figures of a program's pinned memory, compared with what the dry run's runtime saw and
what PyTorch counted."""

import json

# The figures of `vramlab replay --json`, as torch.cuda.host_memory_stats() names them.
STATISTICS = ("active_requests", "active_bytes", "allocations", "allocated_bytes")
OF_ONE = ("current", "peak", "allocated", "freed")
# Their names in the first versions that count.
FIRST_NAMES = {"segment": "allocations", "reserved_bytes": "allocated_bytes",
               "allocation": "active_requests", "allocated_bytes": "active_bytes"}


def calls_of_runtime(run):
    """Name and bytes of each call, of the only process."""
    with open(run.folder / "dry_run.json", encoding="utf-8") as file:
        [process] = json.load(file)["processes"]
    return [(call["call"], call["bytes"]) for call in process["pinned"]["calls"]]


def calls_of_replay(host):
    return [(call["call"], call["bytes"]) for call in host["calls"] if call["call"] != "malloc"
            and call["call"] != "free"]


def counted_by_pytorch(run):
    """Empty in versions that do not count."""
    [line] = [line for line in run.output.splitlines() if line.startswith("HOST ")]
    return json.loads(line.removeprefix("HOST "))


def named_as_today(counted):
    if "segment.current" not in counted:
        return counted
    split = {name: name.partition(".") for name in counted}
    return {FIRST_NAMES.get(first, first) + dot + rest: counted[name]
            for name, (first, dot, rest) in split.items()}


def without_miscounted(counted):
    """PyTorch 2.9 counts each free that waited as one byte more in use, 2.11 no other free."""
    named = named_as_today(counted)
    left_out = ()
    if named is not counted:
        left_out = ("active_bytes.current", "active_bytes.peak", "active_bytes.freed")
    elif counted.get("active_bytes.freed", 0) < 0:
        left_out = ("active_",)
    return {name: value for name, value in named.items() if not name.startswith(left_out)}


def counted_by_replay(host):
    statistics = host["statistics"]
    figures = {f"{name}.{part}": statistics[name][part] for name in STATISTICS for part in OF_ONE}
    for name in ("num_host_alloc", "num_host_free"):
        figures[name] = statistics[name]
    return figures


def differences(run, host):
    wrong = []
    seen, replayed = calls_of_runtime(run), calls_of_replay(host)
    for at, (call, other) in enumerate(zip(seen, replayed)):
        if call != other:
            wrong.append(f"pinned memory: call {at} was {call}, the replay makes {other}")
            break
    if not wrong and len(seen) != len(replayed):
        wrong.append(f"pinned memory: {len(seen)} calls, the replay makes {len(replayed)}")
    counted = without_miscounted(counted_by_pytorch(run))
    wrong += [f"pinned memory: {name} {counted[name]}, the replay says {value}"
              for name, value in counted_by_replay(host).items()
              if name in counted and counted[name] != value]
    return wrong
