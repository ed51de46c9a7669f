"""CuPy: its pool, memory of the driver, the pool of the driver, managed and pinned memory, streams and events."""

import sys

# The program's own name is that of the package.
sys.path.pop(0)

import cupy

MIB = 2**20

pool = cupy.get_default_memory_pool()
values = cupy.zeros((1024, 1024), dtype=cupy.float32)
more = values + 1
assert pool.used_bytes() == 8 * MIB, pool.used_bytes()
del values, more
pool.free_all_blocks()
assert pool.total_bytes() == 0

for allocator in (cupy.cuda.memory._malloc, cupy.cuda.malloc_async, cupy.cuda.malloc_managed):
    with cupy.cuda.using_allocator(allocator):
        block = cupy.empty(64 * MIB, dtype=cupy.uint8)
        block.fill(7)
        del block

host = cupy.cuda.alloc_pinned_memory(MIB)
stream = cupy.cuda.Stream(non_blocking=True)
event = cupy.cuda.Event()
with stream:
    sent = cupy.asarray(range(1000))
    event.record()
event.synchronize()
stream.synchronize()
assert (cupy.asnumpy(sent) == range(1000)).all()
# Checks on the GPU, by one kernel and by two of CUB.
assert cupy.isfinite(sent).all() and (cupy.ones(MIB) == 1).all()
