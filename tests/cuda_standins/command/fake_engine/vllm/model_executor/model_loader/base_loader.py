from torch import _C

WEIGHTS = 40 << 20


class BaseModelLoader:
    def load_model(self):
        return _C.request(WEIGHTS)
