"""Warp: an array on the GPU. Its runtime is linked in and stripped."""

import sys

sys.path.pop(0)

import warp

warp.init()
assert warp.is_cuda_available(), "Warp sees no GPU"
array = warp.zeros(1 << 20, dtype=float, device="cuda:0")
assert array.numpy().shape == (1 << 20,)
