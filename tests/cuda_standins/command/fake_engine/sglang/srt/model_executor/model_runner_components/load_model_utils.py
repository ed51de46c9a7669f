from torch import _C

WEIGHTS = 40 << 20


def load_model_with_memory_saver(**_):
    return _C.request(WEIGHTS)
