"""The part in C++: it keeps a history of requests."""

import os
import pickle
import sys
import time

recording = None
calls = []
trace = []
observers = []

if not os.environ.get("FAKE_TORCH_WITHOUT_CUDA"):

    def _cuda_getDeviceCount():
        return 1


if os.environ.get("FAKE_TORCH_CODE"):

    def _cuda_getArchFlags():
        calls.append("_cuda_getArchFlags")
        return os.environ["FAKE_TORCH_CODE"]


counters = {"alloc": 0, "free_requested": 0, "free_completed": 0, "segment_free": 0, "oom": 0, "retry": 0}


def _cuda_hasPrimaryContext(device):
    return device == 0


def _cuda_memoryStats(device):
    return {"allocation": {"all": {"allocated": counters["alloc"],
                                   "freed": counters["free_requested"]}},
            "active": {"all": {"freed": counters["free_completed"]}},
            "reserved_bytes": {"all": {"freed": counters["segment_free"],
                                       "current": reserved_bytes()}},
            "allocated_bytes": {"all": {"current": allocated_bytes()}},
            "num_ooms": counters["oom"], "num_alloc_retries": counters["retry"]}


def _cuda_resetAccumulatedMemoryStats(device):
    for name in counters:
        counters[name] = 0


def _cuda_cudaCachingAllocator_set_allocator_settings(env):
    if env == "refused":
        raise ValueError(env)


def _cuda_setMemoryFraction(fraction, device):
    pass


captures = False


def _cuda_isCurrentStreamCapturing():
    return captures


def _cuda_emptyCache():
    if cached:
        allocate(cached.pop(), "segment_free")
    for address in [address for address, segment in segments.items() if not segment["is_used"]]:
        _record("segment_free", address, segments.pop(address))


# Sizes of segments that are free.
cached = []


def _cuda_record_memory_history(enabled, context, stacks, max_entries, *more):
    global recording
    recording = {"enabled": enabled, "context": context, "stacks": stacks,
                 "max_entries": max_entries, "more": more}
    calls.append(recording)
    if enabled is None:
        trace.clear()


def _cuda_attach_out_of_memory_observer(observer):
    observers.append(observer)


def _cuda_memorySnapshot():
    if os.environ.get("FAKE_TORCH_SNAPSHOT"):
        with open(os.environ["FAKE_TORCH_SNAPSHOT"], "rb") as file:
            return pickle.load(file)
    # The lines of compiled code.
    sys.modules["torch"]._inductor.codecache.PyCodeCache.stack_frames_for_code(__file__, 1)
    return {"segments": [_shown(at, segment) for at, segment in segments.items()], "device_traces": [[dict(entry) for entry in trace]],
            "allocator_settings": {}, **_host_sections()}


def _host_sections():
    """As since PyTorch 2.14: both are there, and empty unless pinned memory is recorded."""
    if not os.environ.get("FAKE_TORCH_RECORDS_HOST"):
        return {}
    records = recording and recording["more"][0]
    entries = [{"action": "alloc", "addr": 4096, "size": 512, "stream": 0,
                "time_us": time.time_ns() // 1000, "frames": []}] if records else []
    return {"host_segments": [{"device": -1, "address": 4096, "total_size": 512,
                               "blocks": [{"frames": []}]} for _ in entries],
            "host_traces": entries}


def allocate(size, action="alloc"):
    counters[action] += size if action == "segment_free" else 1
    frame = sys._getframe(1)
    if recording and recording["enabled"]:
        trace.append({"action": action, "addr": 0x600000000000 + 512 * len(trace), "size": size,
                      "stream": 0, "time_us": time.time_ns() // 1000,
                      "frames": [{"filename": frame.f_code.co_filename, "line": frame.f_lineno,
                                  "name": frame.f_code.co_name}]})


def run_out_of_memory(size):
    allocate(size, "oom")
    for observer in observers:
        observer(0, size, 1 << 30, 1 << 20)


# Bytes of segments that are only addresses.
unbacked = 0

# Requests with a segment each, of whole 2 MiB and at least 10 MiB, as PyTorch would make them: by address.
segments = {}


def request(size, pool=(0, 0)):
    """A free segment of the size and pool, else a new one."""
    for address, segment in segments.items():
        if not segment["is_used"] and (segment["size"], segment["pool"]) == (size, pool):
            break
    else:
        address = 0x700000000000 + (len(trace) << 32)
        segment = segments[address] = {"size": size, "pool": pool}
        _record("segment_alloc", address, segment)
    segment["is_used"] = True
    _record("alloc", address, segment)
    return address


def give_back(address):
    segments[address]["is_used"] = False
    _record("free_requested", address, segments[address])
    _record("free_completed", address, segments[address])


def _record(action, address, segment):
    if action in counters:
        counters[action] += segment["size"] if action == "segment_free" else 1
    trace.append({"action": action, "addr": address, "size": segment["size"], "stream": 0, "frames": [],
                  "pool_id": segment["pool"], "time_us": time.time_ns() // 1000})


def allocated_bytes():
    return sum(segment["size"] for segment in segments.values() if segment["is_used"])


def reserved_bytes():
    return sum(segment["size"] for segment in segments.values())


def _shown(address, segment):
    used = segment["size"] if segment["is_used"] else 0
    block = {"address": address, "size": segment["size"], "requested_size": segment["size"], "frames": [],
             "state": "active_allocated" if used else "inactive"}
    return {"device": 0, "address": address, "total_size": segment["size"], "allocated_size": used, "active_size": used,
            "requested_size": used, "stream": 0, "segment_type": "large", "segment_pool_id": segment["pool"],
            "is_expandable": False, "frames": [], "blocks": [block]}
