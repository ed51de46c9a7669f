import os
import types

from torch import _C
from vllm.model_executor.model_loader.base_loader import BaseModelLoader
from vllm.v1.worker.gpu.cudagraph_utils import CudaGraphManager

ACTIVATIONS, WORKSPACE, OF_GRAPHS, BESIDE_GRAPHS = 60 << 20, 12 << 20, 20 << 20, 10 << 20
SIZES = [8, 4, 2]


class GPUModelRunner:
    def __init__(self):
        self.compilation_config = types.SimpleNamespace(
            cudagraph_capture_sizes=SIZES, cudagraph_mode=types.SimpleNamespace(name="FULL"))
        self.model_memory_usage = 0
        self._pools = 0

    def load_model(self):
        before = _C.allocated_bytes()
        BaseModelLoader().load_model()
        self.model_memory_usage = _C.allocated_bytes() - before

    def profile_run(self):
        _C.request(WORKSPACE)
        _C.give_back(_C.request(ACTIVATIONS))

    def profile_cudagraph_memory(self):
        self.capture_model(profile_only=True)
        _C._cuda_emptyCache()
        return 3 * OF_GRAPHS

    def capture_model(self, *, profile_only=False):
        _C._cuda_emptyCache()
        before = _C.reserved_bytes()
        self._pools += 1
        pool = (0, self._pools)
        if os.environ.get("FAKE_ENGINE_FAILS") == "graphs" and not profile_only:
            _C.run_out_of_memory(OF_GRAPHS)
            raise MemoryError("graphs")
        _C.give_back(_C.request(BESIDE_GRAPHS))
        kept = []
        CudaGraphManager(pool, lambda desc: kept.append(_C.request(OF_GRAPHS, pool))).capture(SIZES)
        taken = _C.reserved_bytes() - before
        if profile_only:
            _C.give_back(kept.pop())
        return taken
