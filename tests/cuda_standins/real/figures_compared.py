"""The figures that a program, a history and a replay have in common."""

import collections
import re

# Names of docs/reference/metrics.md (and two of a state), and of torch.cuda.memory_stats().
NAMES = {
    "peak_reserved": "reserved_bytes.all.peak",
    "peak_allocated": "allocated_bytes.all.peak",
    "peak_active": "active_bytes.all.peak",
    "peak_requested": "requested_bytes.all.peak",
    "end_reserved": "reserved_bytes.all.current",
    "end_allocated": "allocated_bytes.all.current",
    "end_inactive_split_bytes": "inactive_split_bytes.all.current",
    "end_segments": "segment.all.current",
    "device_allocs": "num_device_alloc",
    "device_frees": "num_device_free",
    "alloc_retries": "num_alloc_retries",
    "out_of_memory": "num_ooms",
    "requests": "allocation.all.allocated",
    "frees": "allocation.all.freed",
    # Sums over the private pools, which PyTorch tells since 2.13.
    "got_in_private_pools": "private_pools.allocated",
    "end_in_private_pools": "private_pools.current",
}
IN_PRIVATE_POOLS = re.compile(r"reserved_bytes_by_private_pools\.\d+_\d+\.all\.(\w+)")


def with_private_pools(device):
    """The figures of one device, with the sums over its private pools."""
    sums = collections.Counter()
    for name, value in device.items():
        if match := IN_PRIVATE_POOLS.fullmatch(name):
            sums[f"private_pools.{match[1]}"] += value
    return {**device, **sums}


def of_program(devices, option_string):
    """The figures of all devices together, as the program told them."""
    devices = [with_private_pools(device) for device in devices]
    figures = {ours: sum(device.get(theirs, 0) for device in devices)
               for ours, theirs in NAMES.items() if any(theirs in device for device in devices)}
    # Newer versions count a request that the fraction refuses apart.
    figures["out_of_memory"] += sum(device.get("num_oom_rejections", 0) for device in devices)
    # PyTorch does not count a request that failed.
    figures["requests"] += figures["out_of_memory"]
    if "expandable_segments:True" in option_string:
        # PyTorch counts each growth of a segment here, and the replay counts its units.
        for name in ("device_allocs", "device_frees", "end_segments"):
            figures.pop(name, None)
    return figures


def of_replay(answer):
    """The same figures from the JSON of `vramlab replay`."""
    figures = dict(answer["metrics"])
    for figure, name in (("end_inactive_split_bytes", "inactive_split_bytes"), ("end_segments", "segments")):
        figures[figure] = sum(device["end"][name] for device in answer["devices"])
    pools = [pool for device in answer["devices"] for pool in device["private_pools"]]
    figures["got_in_private_pools"] = sum(pool["got_bytes"] for pool in pools)
    figures["end_in_private_pools"] = sum(pool["reserved_bytes"] for pool in pools)
    return figures


def differences(wanted, found):
    return [f"{name} {found[name]}, PyTorch {wanted[name]}" for name in wanted
            if name in found and wanted[name] != found[name]]
