import types

import torch
from sglang.srt.mem_cache.memory_pool import MHATokenToKVPool
from sglang.srt.model_executor.model_runner_components import cuda_graph_setup, load_model_utils
from torch import _C

WORKSPACE = 12 << 20


class ModelRunner:
    def __init__(self, mem_fraction_static):
        self.mem_fraction_static = mem_fraction_static
        self.is_draft_worker, self.gpu_id = False, 0
        self.model_config = types.SimpleNamespace(context_len=512)
        self.init_torch_distributed()
        self.load_model()

    def init_torch_distributed(self):
        torch.cuda.init()
        self.pre_model_load_memory = torch.cuda.mem_get_info(0)[0] / (1 << 30)

    def load_model(self):
        before = _C.reserved_bytes()
        load_model_utils.load_model_with_memory_saver()
        self.weight_load_mem_usage = (_C.reserved_bytes() - before) / (1 << 30)

    def alloc_memory_pool(self):
        if self.mem_fraction_static > 0.955:
            _C.run_out_of_memory(200 << 20)
            raise MemoryError("cache")
        self.token_to_kv_pool = MHATokenToKVPool()
        self.max_total_num_tokens, self.max_running_requests = self.token_to_kv_pool.size, 16

    def init_cuda_graphs(self):
        _C.request(WORKSPACE)
        cuda_graph_setup.capture_prefill_graph()
        cuda_graph_setup.capture_decode_graph()

    def post_capture_resize_kv_pool(self):
        self.token_to_kv_pool.finalize_backing()
        self.max_total_num_tokens = self.token_to_kv_pool.size
