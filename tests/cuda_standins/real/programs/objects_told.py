"""A line `KINDS {...}` at the end of each step: bytes of parameters, gradients and states as PyTorch's
own objects have them, and how many requests and frees there were before."""

import json

import figures


def tell(model, optimizer):
    states = [state for of_one in optimizer.state.values() for state in of_one.values()]
    told = {"parameters": _bytes(model.parameters()),
            "gradients": _bytes(parameter.grad for parameter in model.parameters()),
            "optimizer_state": _bytes(states)}
    counts = figures.figures_of(0)
    print("KINDS " + json.dumps({"requests": counts["allocation.all.allocated"],
                                 "frees": counts["allocation.all.freed"], "bytes": told}))


def _bytes(values):
    """The sum of storages on the GPU, each once."""
    storages = [value.untyped_storage() for value in values if getattr(value, "is_cuda", False)]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
