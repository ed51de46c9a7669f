"""The variable for the options is set after PyTorch was imported, and before it uses CUDA: PyTorch follows it."""
import os
import sys

import figures
import torch

MIB = 1 << 20

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "roundup_power2_divisions:2"
held = [torch.empty(size * MIB, dtype=torch.uint8, device="cuda") for size in (5, 33, 12, 50)]
if torch.cuda.memory_allocated() != (6 + 48 + 12 + 64) * MIB:
    sys.exit("the options were read when PyTorch was imported")
del held[1]
held.append(torch.empty(40 * MIB, dtype=torch.uint8, device="cuda"))
print("ROUNDED", torch.cuda.memory_allocated())
