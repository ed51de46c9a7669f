"""PyTorch on the plug-in: plugin.py libvramlab_torch.so whole|segments

Trains a small model with its memory from the plug-in and compares the result with the same
training on PyTorch's own allocator, in another process. Leaves with 77 where torch or a GPU is
missing."""

import ctypes
import json
import os
import subprocess
import sys


def fail_softly(reason):
    print(f"SKIPPED: {reason}. NOTHING WAS TESTED ON A GPU.")
    sys.exit(77)


def train():
    """A few steps on two streams; the losses."""
    import torch
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(),
                                torch.nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    side = torch.cuda.Stream()
    losses = []
    for step in range(30):
        with torch.cuda.stream(side):
            batch = torch.randn(64 + step, 256, device="cuda")
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    torch.cuda.synchronize()
    return losses


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
    losses = train()
    plugin.vramlab_torch_memory_stats.restype = ctypes.c_char_p
    stats = json.loads(plugin.vramlab_torch_memory_stats(0))
    assert stats["allocation.all.allocated"] > 100, stats
    assert stats["num_device_alloc"] < 20, stats
    torch.cuda.empty_cache()
    print(json.dumps(losses))
    sys.stdout.flush()


def use_segments(path):
    import torch
    plugin = ctypes.CDLL(path)
    allocator = torch.cuda.memory.CUDAPluggableAllocator(path, "vramlab_torch_segment_malloc",
                                                         "vramlab_torch_segment_free")
    pool = torch.cuda.MemPool(allocator.allocator())
    with torch.cuda.use_mem_pool(pool):
        losses = train()
    plugin.vramlab_torch_segment_stats.restype = ctypes.c_char_p
    counts = json.loads(plugin.vramlab_torch_segment_stats(0))
    assert counts["given"] > 0, counts
    # The pool has a bare pointer to the allocator, and gives it back its segments when it goes.
    del pool
    print(json.dumps(losses))
    sys.stdout.flush()


def losses_of(*arguments):
    run = subprocess.run([sys.executable, __file__, *arguments], check=True, capture_output=True,
                         text=True, env={**os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8"})
    return json.loads(run.stdout.splitlines()[-1])


def main():
    path, mode = sys.argv[1:3]
    if mode == "run_native":
        print(json.dumps(train()))
    elif mode == "run_whole":
        use_whole(path)
    elif mode == "run_segments":
        use_segments(path)
    else:
        try:
            import torch
        except ImportError:
            fail_softly("torch is missing")
        if not torch.cuda.is_available():
            fail_softly("torch finds no GPU")
        native = losses_of(path, "run_native")
        ours = losses_of(path, "run_" + mode)
        assert ours == native, (ours, native)
        print(f"{mode}: {len(ours)} losses are those of PyTorch's own allocator")


main()
