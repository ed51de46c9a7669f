"""As much of PyTorch as the start-up hook touches, made for its tests: no tensors, no device."""

import sys

from torch import _C, version

sys.modules["torch.version"] = version

from torch import cuda, optim  # noqa: E402
