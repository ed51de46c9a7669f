from torch import _C


def allocate_kv_cache(kv_cache_config):
    return _C.request(kv_cache_config.kv_cache_tensors[0].size)
