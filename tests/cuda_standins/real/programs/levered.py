"""A GPT as it is, or with a change whose effect `vramlab explain` estimates. The argument: plain, checkpoint,
eight_bit, sixteen_bit, zero_1, zero_2 or fsdp."""
import os
import sys

import gpt
import torch
from torch import distributed, nn


class AdamW16(torch.optim.Optimizer):
    """AdamW whose states have 16 bits, and are computed with in 32."""

    def __init__(self, parameters, lr=1e-3):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                self._update(parameter, group["lr"])

    def _update(self, parameter, lr):
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            for key in ("exp_avg", "exp_avg_sq"):
                state[key] = torch.zeros_like(parameter, dtype=torch.bfloat16)
        state["step"] += 1
        mean = state["exp_avg"].float().lerp_(parameter.grad, 0.1)
        square = state["exp_avg_sq"].float().mul_(0.999).addcmul_(parameter.grad, parameter.grad, value=0.001)
        state["exp_avg"].copy_(mean)
        state["exp_avg_sq"].copy_(square)
        parameter.mul_(1 - lr * 0.01)
        scale = (1 - 0.999 ** state["step"]) ** 0.5 / (1 - 0.9 ** state["step"])
        parameter.addcdiv_(mean, square.sqrt_().add_(1e-8), value=-lr * scale)


def alone_of_many(how, model):
    """One rank of a job, which may be the only one that runs. ZeRO-2: parameters are whole from a forward to
    its backward."""
    distributed.init_process_group("nccl")
    if how in ("zero_2", "fsdp"):
        from torch.distributed.fsdp import fully_shard
        for block in model.blocks:
            fully_shard(block, reshard_after_forward=how == "fsdp")
        fully_shard(model, reshard_after_forward=how == "fsdp")
        return model, torch.optim.AdamW(model.parameters())
    from torch.distributed.optim import ZeroRedundancyOptimizer
    model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    return model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)


def main():
    how = sys.argv[1]
    model = gpt.on_gpu(width=1024, layers=12, heads=16, checkpoint=how == "checkpoint")
    if how in ("zero_1", "zero_2", "fsdp"):
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        model, optimizer = alone_of_many(how, model)
    elif how == "eight_bit":
        import bitsandbytes
        optimizer = bitsandbytes.optim.AdamW8bit(model.parameters())
    elif how == "sixteen_bit":
        optimizer = AdamW16(model.parameters())
    else:
        optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        words = gpt.some_words(int(sys.argv[2]), 513)
        scores = model(words[:, :-1])
        nn.functional.cross_entropy(scores.flatten(0, 1), words[:, 1:].flatten()).backward()
        optimizer.step()
        optimizer.zero_grad()
    if distributed.is_initialized():
        distributed.destroy_process_group()


main()
