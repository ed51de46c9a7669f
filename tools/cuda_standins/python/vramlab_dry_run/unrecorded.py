"""Calls that change what the allocator does and leave no entry in PyTorch's history: options and memory
fractions, emptied caches that held nothing, pools that end, the first work on a device. The dumped
snapshot gets them under a key of its own, which PyTorch's viewers pass over:
docs/reference/trace_format.md describes it.

The place of a call is found by counters: each entry of a trace counts in one of them.
"""

import ctypes
import functools
import inspect
import os
import sys

from vramlab_dry_run import callbacks, report

KEY = "vramlab_dry_run"
_FORMAT = 1

# In PyTorch's order of entries: which counter of the allocator an action adds to, and how much.
_COUNTED = {"alloc": 0, "free_requested": 1, "free_completed": 2, "segment_free": 3,
            "segment_unmap": 3, "oom": 4}
_NOTHING = (0,) * 5

# By device: counters and the call, in order.
_calls = {}
# Devices that had a context once. The others have counted nothing, and to ask costs more than an operation.
_in_use = set()
# By device: counters, and which first work it was.
_first_works = {}
# By device: what was counted before the program reset the counters.
_before_reset = {}
# Devices on which a request was refused at first, or for good, before the program reset the counters.
_short_before_reset = set()
# By device and pool, the innermost last: whether its stream captured when it began.
_open_scopes = {}
_options_at_start = None
_is_up = False


def watch(torch):
    """Early, as options may be set before CUDA comes up. PyTorch reads those of the environment when it is first asked
    for them, so it is not asked here: a program may set the variable after its import."""
    for name in ("_cuda_cudaCachingAllocator_set_allocator_settings",
                 "_accelerator_setAllocatorSettings"):
        _stand_around(torch._C, name, _set_options)
    _stand_around(torch._C, "_cuda_setMemoryFraction", _set_fraction)
    for name in ("_cuda_emptyCache", "_accelerator_emptyCache"):
        _stand_around(torch._C, name, _empty_cache)
    for name in ("_cuda_resetAccumulatedMemoryStats", "_accelerator_resetAccumulatedStats"):
        _stand_around(torch._C, name, _reset_counters)
    _watch_pools(sys.modules["torch.cuda.memory"])


def cuda_came_up():
    global _is_up
    _remember_options()
    _is_up = True
    if _are_places_of_driver():
        report.guarded(_hear_of_first_works)()


def _are_places_of_driver():
    return os.environ["VRAMLAB_DRY_RUN_SEGMENTS"] == "driver"


def _hear_of_first_works():
    """The stand-in driver calls back from the thread that launches."""
    kind = ctypes.CFUNCTYPE(None, ctypes.c_uint, ctypes.c_int)
    callbacks.give("vramlab_dry_run_set_first_work", kind, _note_first_work)


@report.guarded
def _note_first_work(device, of_library):
    call = {"work": "library" if of_library else "kernel"}
    _first_works.setdefault(device, []).append((counted_on(device), call))


def _remember_options():
    """Before anything changes them."""
    global _options_at_start
    if _options_at_start is None:
        _options_at_start = _options_of_environment(sys.modules["torch"]._C)


def _stand_around(module, name, call):
    function = getattr(module, name, None)
    if function is None:
        return

    @functools.wraps(function)
    def around(*args, **kwargs):
        return call(function, *args, **kwargs)

    setattr(module, name, around)


def _options_of_environment(cuda):
    told = getattr(cuda, "_accelerator_getAllocatorSettings", None)
    if told is not None:
        return told()
    names = ["PYTORCH_CUDA_ALLOC_CONF"]
    if hasattr(cuda, "_accelerator_setAllocatorSettings"):
        names.append("PYTORCH_ALLOC_CONF")
    return next((os.environ[name] for name in names if name in os.environ), "")


def _device_count():
    return sys.modules["torch"]._C._cuda_getDeviceCount()


def counted_on(device):
    """How often each counter was added to since CUDA came up."""
    if not _is_up or not _is_in_use(device):
        return _NOTHING
    stats = sys.modules["torch"]._C._cuda_memoryStats(device)
    now = (stats["allocation"]["all"]["allocated"], stats["allocation"]["all"]["freed"],
           stats["active"]["all"]["freed"], stats["reserved_bytes"]["all"]["freed"],
           stats["num_ooms"])
    return _sum(now, _before_reset.get(device, _NOTHING))


def _is_in_use(device):
    if device not in _in_use and sys.modules["torch"]._C._cuda_hasPrimaryContext(device):
        _in_use.add(device)
    return device in _in_use


def _sum(one, other):
    return tuple(a + b for a, b in zip(one, other))


@report.guarded
def _note(device, counted, call):
    of_device = _calls.setdefault(device, [])
    # An emptied cache is not made emptier.
    if call["call"] == "empty_cache" and of_device and of_device[-1] == (counted, call):
        return
    of_device.append((counted, call))


@report.guarded
def _counted_everywhere():
    return [counted_on(device) for device in range(_device_count())]


def _set_options(function, *args, **kwargs):
    """A string that is refused is noted too: it may have set its first options."""
    report.guarded(_remember_options)()
    [text] = (*args, *kwargs.values())
    for device, place in enumerate(_counted_everywhere() or []):
        _note(device, place, {"call": "options", "text": text})
    return function(*args, **kwargs)


def _set_fraction(function, fraction, device):
    counted = report.guarded(counted_on)(device)
    result = function(fraction, device)
    if counted:
        report.guarded(_note_fraction)(counted, fraction, device)
    return result


def _note_fraction(counted, fraction, device):
    memory = sys.modules["torch.cuda.memory"].mem_get_info(device)[1]
    _note(device, counted, {"call": "memory_fraction", "fraction": float(fraction),
                            "device_memory": memory})


def _empty_cache(function):
    before = _counted_everywhere() if _is_up else None
    result = function()
    after = _counted_everywhere() if before else []
    for device, (place, then) in enumerate(zip(before or [], after or [])):
        has_released = place[3] != then[3]
        if not has_released and place[0]:
            _note(device, place, {"call": "empty_cache"})
    return result


def _reset_counters(function, device):
    counted = report.guarded(counted_on)(device)
    was_short = report.guarded(_was_short)(device)
    result = function(device)
    if counted:
        _before_reset[device] = counted
    if was_short:
        _short_before_reset.add(device)
    return result


def _was_short(device):
    if not _is_up or not _is_in_use(device):
        return False
    stats = sys.modules["torch"]._C._cuda_memoryStats(device)
    return device in _short_before_reset or stats["num_alloc_retries"] + stats["num_ooms"] > 0


@report.guarded
def _memory_limits():
    """Devices that were too small for a request, with all that the allocator can have there. Of shared ones
    it changes, as other programs do."""
    if "VRAMLAB_DRY_RUN_SHARED" in os.environ:
        return []
    return [{"device": device, "bytes": _memory_for_allocator(device)}
            for device in range(_device_count()) if _was_short(device)]


def _memory_for_allocator(device):
    torch = sys.modules["torch"]
    reserved = torch._C._cuda_memoryStats(device)["reserved_bytes"]["all"]["current"]
    return torch.cuda.mem_get_info(device)[0] + reserved


def _watch_pools(memory):
    """A pool that ends gives back what is free in it; what is in use then belongs to nobody."""
    pools = getattr(memory, "MemPool", None)
    if pools is None:
        return

    def end_pool(pool):
        for device, place in enumerate(_counted_everywhere() or []):
            if place[0]:
                _note(device, place, {"call": "pool_destroy", "pool": tuple(pool.id)})

    # Called before the object itself is gone.
    pools.__del__ = report.guarded(end_pool)
    _watch_new_pools(pools)
    # In versions with this function every request to the device goes to the pool in between. Later
    # ones take those of the thread alone, and soon have the pool in their entries.
    if hasattr(memory, "_cuda_endAllocateCurrentStreamToPool"):
        _stand_around(memory, "_cuda_beginAllocateToPool", _begin_pool)
        _stand_around(memory, "_cuda_endAllocateCurrentStreamToPool", _end_of_scope)


def _watch_new_pools(pools):
    """A pool that lends memory or keeps blocks whole: no entry says so."""
    make = pools.__init__

    @report.guarded
    def note(pool, args, kwargs):
        values = inspect.signature(make).bind(pool, *args, **kwargs).arguments
        traits = {name: True for name in ("use_on_oom", "no_split") if values.get(name)}
        for device, place in enumerate(traits and _counted_everywhere() or []):
            _note(device, place, {"call": "pool_create", "pool": tuple(pool.id), **traits})

    @functools.wraps(make)
    def made(self, *args, **kwargs):
        make(self, *args, **kwargs)
        note(self, args, kwargs)

    pools.__init__ = made


def _begin_pool(function, device, pool):
    """A scope in a capture gets nothing of its stream: the graph's own pool was there before."""
    is_captured = sys.modules["torch"]._C._cuda_isCurrentStreamCapturing()
    _open_scopes.setdefault((device, tuple(pool)), []).append(is_captured)
    if not is_captured:
        _note_scope("pool_begin", device, pool)
    return function(device, pool)


def _end_of_scope(function, device, pool):
    opened = _open_scopes.get((device, tuple(pool)))
    if not (opened and opened.pop()):
        _note_scope("pool_end", device, pool)
    return function(device, pool)


@report.guarded
def _note_scope(call, device, pool):
    _note(device, counted_on(device), {"call": call, "pool": tuple(pool)})


@report.guarded
def totals():
    """The counts up to now of each device with calls. Taken before a snapshot: whatever other
    threads do meanwhile comes on top."""
    return {device: counted_on(device) for device in {*_calls, *_first_works}}


def add_to(snapshot, counted):
    """Adds what is known of PyTorch, and the calls with their places. Without a list of calls, nobody
    knows them. `counted`: by totals()."""
    told = snapshot[KEY] = {"format": _FORMAT, "torch": report.values["torch"]}
    if report.values["kernel_code"]:
        told["kernel_code"] = report.values["kernel_code"]
    limits = _memory_limits()
    if limits:
        told["memory_limits"] = limits
    ended = {device: _without_living_pools(calls) for device, calls in _calls.items()}
    calls = placed_in(snapshot, ended, counted)
    if any(call["call"] == "options" for call in calls):
        told["options"] = _options_at_start
    told["calls"] = calls
    if _are_places_of_driver():
        told["segments"] = "driver"
        told["first_work"] = placed_in(snapshot, _first_works, counted)


def placed_in(snapshot, by_device, counted):
    """The notes of each device, with their places."""
    found = []
    for device, noted in sorted(by_device.items()):
        traces = snapshot.get("device_traces", [])
        trace = traces[device] if device < len(traces) else []
        dropped = _sum(counted[device], (-count for count in _counted_in(trace)))
        placed = _placed(noted, trace, [max(0, n) for n in dropped])
        found += [{"device": device, **call} for call in placed]
    return found


def _without_living_pools(of_device):
    """Requests to a pool are of interest only if it ended."""
    ended = {call["pool"] for _, call in of_device if call["call"] == "pool_destroy"}
    scopes = ("pool_begin", "pool_end")
    return [(counted, call) for counted, call in of_device if call["call"] not in scopes or call["pool"] in ended]


def _placed(of_device, trace, dropped):
    """The calls with the number of entries before each. `dropped`: counted before the first entry, if
    the trace lost its beginning. Calls before it are at 0; what was empty then says nothing of it."""
    placed, reached, entry = [], list(dropped), 0
    for counted, call in of_device:
        is_lost = counted != tuple(dropped) and all(a <= b for a, b in zip(counted, dropped))
        while not is_lost and tuple(reached) != counted:
            if entry == len(trace):
                raise ValueError("%r has no place in the history" % call)
            _count(reached, trace[entry])
            entry += 1
        if not is_lost or call.get("call") != "empty_cache":
            placed.append({"before": 0 if is_lost else entry, **call})
    return placed


def _count(counts, entry):
    counter = _COUNTED.get(entry["action"])
    if counter is not None:
        counts[counter] += entry["size"] if counter == 3 else 1


def _counted_in(trace):
    counts = list(_NOTHING)
    for entry in trace:
        _count(counts, entry)
    return tuple(counts)
