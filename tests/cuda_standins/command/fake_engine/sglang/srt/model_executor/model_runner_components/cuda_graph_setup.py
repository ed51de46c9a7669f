import types

from sglang.srt.model_executor.runner import decode_cuda_graph_runner
from torch import _C

BESIDE_GRAPHS = 10 << 20


def _usage(before):
    return types.SimpleNamespace(memory_usage_gb=(_C.reserved_bytes() - before) / (1 << 30))


def capture_prefill_graph(**_):
    _C._cuda_emptyCache()
    before = _C.reserved_bytes()
    _C.give_back(_C.request(BESIDE_GRAPHS))
    return _usage(before)


def capture_decode_graph(**_):
    before = _C.reserved_bytes()
    decode_cuda_graph_runner.capture()
    return _usage(before)
