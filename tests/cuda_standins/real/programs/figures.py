"""The last lines that a program of the suite prints: FIGURES, its process and a part of {...}: the figures of
torch.cuda.memory_stats() of each device, and its most host memory. Imported first of all.

With SUITE_PLUGIN=libvramlab_torch.so the program's memory comes from vramlab's plug-in, and the
figures are the plug-in's. With SUITE_AGAIN=5 five streams are taken first, so that the program's own
ones have other handles, as they have in each run on a GPU: PyTorch completes frees of several
streams in an order that depends on handles."""

import atexit
import ctypes
import json
import os
import resource
import select
import sys

import torch

plugin = None
# Objects and memory that only move those of the program, and the moment at which cycles are collected.
ballast = [([[] for _ in range(137 * int(number))], bytearray(7000 * int(number)))
           for name, number in os.environ.items() if name.startswith("SUITE_PLAIN_")]


def use_plugin(path):
    global plugin
    plugin = ctypes.CDLL(path)
    plugin.vramlab_torch_memory_stats.restype = ctypes.c_char_p
    allocator = torch.cuda.memory.CUDAPluggableAllocator(path, "vramlab_torch_malloc",
                                                         "vramlab_torch_free")
    hooks = {"init_fn": "init", "reset_fn": "reset", "base_alloc_fn": "base_alloc",
             "memory_fraction_fn": "set_memory_fraction", "record_stream_fn": "record_stream"}
    for hook, name in hooks.items():
        address = ctypes.cast(getattr(plugin, "vramlab_torch_" + name), ctypes.c_void_p).value
        getattr(allocator.allocator(), "set_" + hook)(address)
    torch.cuda.memory.change_current_allocator(allocator)
    # Kept: PyTorch holds only a bare pointer to it.
    use_plugin.allocator = allocator


def figures_of(device):
    if plugin is not None:
        return json.loads(plugin.vramlab_torch_memory_stats(device))
    return torch.cuda.memory_stats(device)


PART = select.PIPE_BUF - 64


def tell():
    sys.stdout.flush()
    if not torch.cuda.is_initialized():
        return
    told = {"pid": os.getpid(),
            "host_peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
            "devices": [figures_of(device) for device in range(torch.cuda.device_count())]}
    text = json.dumps(told)
    # A write that is longer than a pipe takes at once mixes with those of other processes, which may
    # be in the middle of a line.
    for start in range(0, len(text), PART):
        os.write(1, f"\nFIGURES {os.getpid()} {text[start:start + PART]}\n".encode())


for index in range(int(os.environ.get("SUITE_AGAIN", "0"))):
    torch.cuda.Stream(priority=-(index % 2))
if "SUITE_PLUGIN" in os.environ:
    use_plugin(os.environ["SUITE_PLUGIN"])
atexit.register(tell)
