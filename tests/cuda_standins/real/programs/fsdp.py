"""Fully sharded training in two processes on the stand-in of NCCL, started by torchrun. The
argument says which: 1 is FullyShardedDataParallel, 2 is fully_shard."""
import functools
import os
import sys

import figures
import gpt
import objects_told
import torch
from torch import distributed
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy


def sharded(model, kind):
    if kind == "1":
        policy = functools.partial(transformer_auto_wrap_policy,
                                   transformer_layer_cls={gpt.Block})
        return FullyShardedDataParallel(model, auto_wrap_policy=policy, use_orig_params=True)
    from torch.distributed.fsdp import fully_shard
    for block in model.blocks:
        fully_shard(block)
    return fully_shard(model)


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    model = sharded(gpt.on_gpu(layers=4), sys.argv[1])
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        words = gpt.some_words(4, 512)
        scores = model(words)
        torch.nn.functional.cross_entropy(scores.flatten(0, 1), words.flatten()).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()
    distributed.destroy_process_group()
    print(f"RANK {rank} ends", flush=True)


main()
