"""Kernels in Triton: one that is tuned, and one that is timed."""
import os

import figures
import torch
import triton
import triton.language as tl
from triton.testing import do_bench


@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps)
                  for block in (256, 1024) for warps in (2, 4, 8)], key=["count"])
@triton.jit
def add(x, y, total, count, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = place < count
    sum_of_both = tl.load(x + place, mask=inside) + tl.load(y + place, mask=inside)
    tl.store(total + place, sum_of_both, mask=inside)


@triton.jit
def multiply(a, b, product, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, SIZE, BLOCK):
        inner = first + tl.arange(0, BLOCK)
        part = tl.load(a + row[:, None] * SIZE + inner[None, :])
        total += tl.dot(part, tl.load(b + inner[:, None] * SIZE + column[None, :]))
    tl.store(product + row[:, None] * SIZE + column[None, :], total)


def main():
    words = torch.arange(8).cuda()
    x = torch.rand(1 << 22, device="cuda")
    total = torch.empty_like(x)
    add[lambda chosen: (triton.cdiv(x.numel(), chosen["BLOCK"]),)](x, x, total, x.numel())
    a = torch.rand(1024, 1024, device="cuda", dtype=torch.float16)
    product = torch.empty(1024, 1024, device="cuda")
    compiled = multiply[(16, 16)](a, a, product, SIZE=1024, BLOCK=64)
    # The figures of the code, not those that a stand-in assumes for an unknown kernel.
    assert compiled.n_regs > 32, compiled.n_regs
    milliseconds = do_bench(lambda: multiply[(16, 16)](a, a, product, SIZE=1024, BLOCK=64))
    assert milliseconds > 0
    # Only what an argument points to may have other values now.
    assert words.max().item() == 7 or os.environ["VRAMLAB_DRY_RUN_VALUES"] == "zeros"
    numbers = torch.ones(8, device="cuda")
    add[(1,)](numbers, numbers, numbers, 8)
    assert numbers.max().item() < 1, "it was one before"


main()
