"""PyTorch on the plug-in: plugin.py libvramlab_torch.so whole|segments

Trains a small model with its memory from the plug-in and compares the result with the same
training on PyTorch's own allocator, in another process. Leaves with 77 where torch or a GPU is
missing."""

import ctypes
import json
import sys

import training


def use_whole(path):
    import torch
    plugin = ctypes.CDLL(path)
    allocator = torch.cuda.memory.CUDAPluggableAllocator(path, "vramlab_torch_malloc",
                                                         "vramlab_torch_free")
    hooks = allocator.allocator()
    for hook in ["init_fn", "reset_fn", "memory_fraction_fn", "base_alloc_fn", "record_stream_fn",
                 "begin_allocate_to_pool", "end_allocate_to_pool_fn", "release_pool"]:
        name = "vramlab_torch_" + hook.removesuffix("_fn")
        name = {"vramlab_torch_memory_fraction": "vramlab_torch_set_memory_fraction"}.get(name, name)
        address = ctypes.cast(getattr(plugin, name), ctypes.c_void_p).value
        getattr(hooks, "set_" + hook)(address)
    torch.cuda.memory.change_current_allocator(allocator)
    told = training.train()
    plugin.vramlab_torch_memory_stats.restype = ctypes.c_char_p
    stats = json.loads(plugin.vramlab_torch_memory_stats(0))
    assert stats["allocation.all.allocated"] > 100, stats
    assert 50 * stats["num_device_alloc"] < stats["allocation.all.allocated"], stats
    torch.cuda.empty_cache()
    print(json.dumps(told))
    sys.stdout.flush()


def use_segments(path):
    import torch
    plugin = ctypes.CDLL(path)
    allocator = torch.cuda.memory.CUDAPluggableAllocator(path, "vramlab_torch_segment_malloc",
                                                         "vramlab_torch_segment_free")
    pool = torch.cuda.MemPool(allocator.allocator())
    with torch.cuda.use_mem_pool(pool):
        told = training.train()
    plugin.vramlab_torch_segment_stats.restype = ctypes.c_char_p
    counts = json.loads(plugin.vramlab_torch_segment_stats(0))
    assert counts["given"] > 0, counts
    # The pool has a bare pointer to the allocator, and gives it back its segments when it goes.
    del pool
    print(json.dumps(told))
    sys.stdout.flush()


def main():
    path, mode = sys.argv[1:3]
    if mode == "run_native":
        print(json.dumps(training.train()))
    elif mode == "run_whole":
        use_whole(path)
    elif mode == "run_segments":
        use_segments(path)
    else:
        training.needs_gpu()
        native = training.answer_of(sys.executable, __file__, path, "run_native")
        ours = training.answer_of(sys.executable, __file__, path, "run_" + mode)
        assert ours["losses"] == native["losses"], (ours, native)
        print(f"{mode}: {len(ours['losses'])} losses are those of PyTorch's own allocator, "
              f"{ours['ms_per_step']:.2f} ms a step instead of {native['ms_per_step']:.2f}")


main()
