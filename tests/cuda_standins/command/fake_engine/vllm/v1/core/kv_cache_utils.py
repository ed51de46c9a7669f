"""As in 0.21."""


def get_max_concurrency_for_kv_cache_config(vllm_config, kv_cache_config):
    return 6.25


def report(vllm_config, kv_cache_config):
    return get_max_concurrency_for_kv_cache_config(vllm_config, kv_cache_config)
