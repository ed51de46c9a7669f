"""A native trace (docs/reference/trace_format.md) of a program's pinned memory: each method
does one thing and writes it down. Work that the program puts on a stream is over when it synchronizes;
the dry run is told that kernels take long enough for that."""

import json

import torch


class PinnedTrace:
    def __init__(self, path, settings):
        version = ".".join(torch.__version__.split(".")[:2])
        self.file = open(path, "w", encoding="utf-8")
        self.last_id = 0
        self.write(format="vramlab-trace", version=2, origin="pinned memory of PyTorch " + version,
                   settings=settings, has_end=True)

    def write(self, **record):
        self.file.write(json.dumps(record) + "\n")

    def pin(self, size):
        """A tensor of so many bytes, and its name in the trace."""
        pinned = torch.empty(size, dtype=torch.uint8, pin_memory=True)
        self.last_id += 1
        self.write(host_malloc=self.last_id, bytes=size, stream=self.current())
        return pinned, self.last_id

    def send(self, pinned):
        """Copies it to the GPU on the current stream without waiting."""
        tensor, name = pinned
        stream = self.current()
        sent = tensor.to("cuda", non_blocking=True)
        self.write(copy=stream, duration_ns=1, direction="to_device")
        self.write(host_use=name, stream=stream)
        self.work(sent)
        return sent

    def fetch(self, pinned, device_tensor):
        """The other way round."""
        tensor, name = pinned
        stream = self.current()
        self.work(device_tensor)
        tensor.copy_(device_tensor, non_blocking=True)
        self.write(copy=stream, duration_ns=1, direction="to_host")
        self.write(host_use=name, stream=stream)

    def work(self, device_tensor):
        """Copies take no time in a dry run; kernels do."""
        device_tensor.add_(1)
        self.write(work=self.current(), duration_ns=1)

    def drop(self, pinned):
        """The list held the last reference."""
        name = pinned[1]
        pinned.clear()
        self.write(host_free=name)

    def synchronize(self):
        torch.cuda.synchronize()
        self.write(device_sync=True)

    def empty_cache(self):
        torch._C._host_emptyCache()
        self.write(host_empty_cache=True)

    @staticmethod
    def current():
        """Streams by their place in CUDA's list."""
        return torch.cuda.current_stream().cuda_stream

    def finish(self):
        self.write(end=True)
        self.file.close()
