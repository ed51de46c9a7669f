import types


def get_schedule():
    return types.SimpleNamespace(chunked_prefill_size=2048)
