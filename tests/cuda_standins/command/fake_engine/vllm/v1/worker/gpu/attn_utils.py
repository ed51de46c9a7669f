"""As in 0.21."""

from torch import _C


def _allocate_kv_cache(kv_cache_config, device):
    return [_C.request(tensor.size) for tensor in kv_cache_config.kv_cache_tensors]


def init_kv_cache(kv_cache_config):
    return _allocate_kv_cache(kv_cache_config, "cuda:0")
