import types

from sglang.srt import runtime_context  # noqa: F401
from sglang.srt.model_executor.model_runner import ModelRunner
from torch import _C


class Scheduler:
    def __init__(self, mem_fraction_static=0.9):
        self._is_idle = True
        self.init_model_worker(mem_fraction_static)

    def init_model_worker(self, mem_fraction_static):
        runner = ModelRunner(mem_fraction_static)
        self.tp_worker = types.SimpleNamespace(model_runner=runner)
        runner.alloc_memory_pool()
        self.init_all_attention_backends()
        runner.init_cuda_graphs()
        if runner.token_to_kv_pool.post_capture_active:
            runner.post_capture_resize_kv_pool()

    def init_all_attention_backends(self):
        pass

    def run_batch(self, batch):
        """The larger a step, the more it holds."""
        _C.give_back(_C.request((batch.extend_num_tokens or len(batch.reqs)) << 10))

    def is_fully_idle(self):
        return self._is_idle

    def on_idle(self):
        pass

    def generate(self, prompts, answer_tokens):
        """A step with all prompts, and one for each further token. Then it is idle, again and again."""
        self.on_idle()
        self._is_idle = False
        for step in range(answer_tokens):
            tokens = sum(map(len, prompts)) if step == 0 else None
            self.run_batch(types.SimpleNamespace(extend_num_tokens=tokens, reqs=prompts))
            self.on_idle()
        self._is_idle = True
        for _ in range(3):
            self.on_idle()
