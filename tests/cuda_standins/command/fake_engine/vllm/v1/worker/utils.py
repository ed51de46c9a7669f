import vllm
from torch import _C


def allocate_kv_cache(kv_cache_config):
    return [_C.request(tensor.size) for tensor in kv_cache_config.kv_cache_tensors]


if vllm.__version__ == "0.21.0":
    del allocate_kv_cache
