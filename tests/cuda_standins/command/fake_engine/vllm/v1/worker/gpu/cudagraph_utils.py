import types

import torch


class CudaGraphManager:
    def __init__(self, pool, request):
        self._pool = pool
        self._request = request

    def capture(self, sizes):
        """The first and largest graph asks for memory, in which the others have room."""
        for number, size in enumerate(sizes):
            desc = types.SimpleNamespace(cg_mode=types.SimpleNamespace(name="FULL"), num_tokens=size)
            graph = torch.cuda.graphs.CUDAGraph()
            graph.capture_begin(self._pool)
            if number == 0:
                self._request(desc)
            graph.capture_end()
