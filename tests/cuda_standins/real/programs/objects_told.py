"""A line `KINDS {...}` at the end of each step: bytes of parameters, gradients and states as PyTorch's
own objects have them, and how many requests and frees there were before. Of shards, those of this process."""

import json
import os

import figures
import torch


def tell(model, optimizer):
    states = [state for of_one in optimizer.state.values() for state in of_one.values()]
    told = {"parameters": _bytes(model.parameters()),
            "gradients": _bytes(parameter.grad for parameter in model.parameters()),
            "optimizer_state": _bytes(states)}
    counts = figures.figures_of(torch.cuda.current_device())
    print("KINDS " + json.dumps({"pid": os.getpid(), "requests": counts["allocation.all.allocated"],
                                 "frees": counts["allocation.all.freed"], "bytes": told}), flush=True)


def _bytes(values):
    """The sum of storages on the GPU, each once."""
    local = [getattr(value, "_local_tensor", value) for value in values]
    storages = [value.untyped_storage() for value in local if getattr(value, "is_cuda", False)]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
