import os
import types

import torch
import vllm
from torch import _C
from vllm import envs  # noqa: F401
from vllm.v1.worker import utils
from vllm.v1.worker.gpu import attn_utils
from vllm.v1.worker.gpu.model_runner import ACTIVATIONS, GPUModelRunner

SAMPLES = 2 << 20


class Worker:
    def __init__(self, config):
        self.cache_config, self.model_config = config.cache_config, config.model_config
        self.scheduler_config = types.SimpleNamespace(max_num_batched_tokens=2048, max_num_seqs=16)
        self.parallel_config = types.SimpleNamespace(world_size=int(os.environ.get("WORLD_SIZE", "1")))
        self.rank = int(os.environ.get("RANK", "0"))

    def init_device(self):
        torch.cuda.init()
        free, total = torch.cuda.mem_get_info(0)
        self.init_snapshot = types.SimpleNamespace(free_memory=free, total_memory=total)
        self.requested_memory = int(total * self.cache_config.gpu_memory_utilization)
        if self.requested_memory > free:
            raise ValueError("not so much is free")
        self.model_runner = GPUModelRunner()

    def load_model(self):
        self.model_runner.load_model()

    def determine_available_memory(self):
        self.model_runner.profile_run()
        self.cudagraph_memory_estimate = self.model_runner.profile_cudagraph_memory()
        self.peak_activation_memory = ACTIVATIONS
        if vllm.__version__ != "0.21.0":
            self.peak_activation_memory += self.cudagraph_memory_estimate
        self.available_kv_cache_memory_bytes = 200 << 20
        return self.available_kv_cache_memory_bytes

    def initialize_from_config(self, kv_cache_config):
        if vllm.__version__ == "0.21.0":
            self.cache = attn_utils.init_kv_cache(kv_cache_config)
        else:
            self.cache = utils.allocate_kv_cache(kv_cache_config)

    def compile_or_warm_up_model(self):
        self.model_runner.capture_model()

    def execute_model(self, scheduler_output):
        """The larger a step, the more it holds."""
        asked = scheduler_output.total_num_scheduled_tokens << 10
        if os.environ.get("FAKE_ENGINE_FAILS") == "steps":
            _C.run_out_of_memory(asked)
            raise MemoryError("steps")
        if asked:
            _C.give_back(_C.request(asked))

    def sleep(self, level=1):
        if os.environ.get("FAKE_ENGINE_FAILS") == "sleep":
            raise RuntimeError("sleepless")

    def wake_up(self, tags=None):
        pass

    def sample_tokens(self, grammar_output):
        _C.give_back(_C.request(SAMPLES))


if os.environ.get("FAKE_ENGINE_FAILS") == "names":
    Worker.load_the_model = Worker.load_model
    del Worker.load_model
