"""tinygrad: an addition on its device for CUDA."""

import os
import sys

sys.path.pop(0)
os.environ.setdefault("CACHELEVEL", "0")

from tinygrad import Tensor

x = Tensor.ones(1024, 1024, device="CUDA").contiguous().realize()
assert (x + 1).realize().shape == (1024, 1024)
