"""Numba: device, pinned and managed arrays, a kernel, a stream and an event."""

import sys

sys.path.pop(0)

import numpy
from numba import cuda

host = numpy.arange(1 << 20, dtype=numpy.float32)
stream = cuda.stream()
device = cuda.to_device(host, stream=stream)
other = cuda.device_array_like(host)
pinned = cuda.pinned_array(1 << 20, dtype=numpy.float32)
managed = cuda.managed_array(1 << 20, dtype=numpy.float32)
managed[:] = 1
event = cuda.event()
event.record(stream)
event.synchronize()
# Larger copies are not remembered.
small = host[: 1 << 16]
assert (cuda.to_device(small).copy_to_host() == small).all()
free, total = cuda.current_context().get_memory_info()
assert total - free >= 8 << 20
