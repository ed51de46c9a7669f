"""Calls cs336_systems.benchmark.run_memory_foward_fullstep of kkaitlyn111/cs336-a2-systems as its own functions do.

usage: forward_and_full_steps.py plain|mixed MODE:CONTEXT…

MODE is `forward` or `full`. The author's loops have these numbers as constants, and were edited between recordings.
"""

import os
import sys

import torch
from cs336_systems import benchmark

os.makedirs("memory_files", exist_ok=True)
mixed = sys.argv[1] == "mixed"
if not mixed:
    torch.set_float32_matmul_precision("high")
for step in sys.argv[2:]:
    mode, context = step.split(":")
    benchmark.run_memory_foward_fullstep(
        **benchmark.get_model_config("2.7b"), context_length=int(context), batch_size=4, vocab_size=10000, theta=10000,
        dtype=torch.bfloat16 if mixed else torch.float32, model_size="2.7b", mixed_precision=mixed,
        forward_only=mode == "forward")
