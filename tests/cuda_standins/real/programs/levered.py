"""A GPT as it is, or with a change whose effect `vramlab explain` estimates. The argument: plain, checkpoint,
eight_bit, zero_1 or fsdp."""
import os
import sys

import gpt
import torch
from torch import distributed, nn


def alone_of_many(how, model):
    """One rank of a job, which may be the only one that runs."""
    distributed.init_process_group("nccl")
    if how == "fsdp":
        from torch.distributed.fsdp import fully_shard
        for block in model.blocks:
            fully_shard(block)
        fully_shard(model)
        return model, torch.optim.AdamW(model.parameters())
    from torch.distributed.optim import ZeroRedundancyOptimizer
    model = nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=True)
    return model, ZeroRedundancyOptimizer(model.parameters(), torch.optim.AdamW)


def main():
    how = sys.argv[1]
    model = gpt.on_gpu(width=1024, layers=12, heads=16, checkpoint=how == "checkpoint")
    if how in ("zero_1", "fsdp"):
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
        model, optimizer = alone_of_many(how, model)
    elif how == "eight_bit":
        import bitsandbytes
        optimizer = bitsandbytes.optim.AdamW8bit(model.parameters())
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
