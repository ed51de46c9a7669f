import types

import vllm
from vllm.v1.core import kv_cache_utils
from vllm.v1.worker.gpu_worker import Worker


class EngineCore:
    def __init__(self, utilization=0.9):
        self.config = types.SimpleNamespace(
            cache_config=types.SimpleNamespace(gpu_memory_utilization=utilization),
            model_config=types.SimpleNamespace(max_model_len=512))
        self.worker = Worker(self.config)
        self.worker.init_device()
        getattr(self.worker, "load_model", getattr(self.worker, "load_the_model", None))()
        self._initialize_kv_caches(self.config)

    def _initialize_kv_caches(self, vllm_config):
        size = self.worker.determine_available_memory()
        spec = types.SimpleNamespace(block_size=16)
        is_older = vllm.__version__ == "0.21.0"
        layers = 4 if is_older else 1
        cache = types.SimpleNamespace(
            num_blocks=200, kv_cache_tensors=[types.SimpleNamespace(size=size // layers)] * layers,
            kv_cache_groups=[types.SimpleNamespace(kv_cache_spec=spec)])
        self.worker.initialize_from_config(cache)
        self.worker.compile_or_warm_up_model()
        if is_older:
            kv_cache_utils.report(vllm_config, cache)
            return
        vllm_config.cache_config.kv_cache_size_tokens = 3200
        vllm_config.cache_config.kv_cache_max_concurrency = 6.25

    def complete(self, prompts, answer_tokens):
        """A step with all prompts, one for each further token, and one that only ends the requests."""
        sizes = [sum(map(len, prompts))] + [len(prompts)] * (answer_tokens - 1) + [0]
        for size in sizes:
            self.worker.execute_model(types.SimpleNamespace(total_num_scheduled_tokens=size))
            self.worker.sample_tokens(None)
