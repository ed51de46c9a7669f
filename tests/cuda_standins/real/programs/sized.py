"""Two steps of a model whose batch is an argument, for `vramlab fit` (fit_compared.py)."""
import argparse
import functools
import os

import figures
import gpt
import torch
import torch.utils.checkpoint
from torch import nn


class Gpt:
    def __init__(self, **sizes):
        self.model = gpt.on_gpu(width=256, layers=4, heads=4, words=2048, **sizes)

    def loss(self, batch):
        return self.model.loss(gpt.some_words(batch, 257, words=2048))


class Amp(Gpt):
    def loss(self, batch):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            return super().loss(batch)


class Convolutions:
    def __init__(self):
        with torch.device("cuda"):
            self.model = nn.Sequential(
                nn.Conv2d(3, 32, 7, 2, 3), nn.BatchNorm2d(32), nn.ReLU(), nn.Conv2d(32, 64, 3, 2, 1),
                nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 1000))

    def loss(self, batch):
        scores = self.model(torch.randn(batch, 3, 160, 160, device="cuda"))
        return nn.functional.cross_entropy(scores, torch.zeros(batch, dtype=torch.long, device="cuda"))


class Lstm:
    def __init__(self):
        with torch.device("cuda"):
            self.model = nn.ModuleList([nn.Embedding(2000, 256), nn.LSTM(256, 256, 2, batch_first=True),
                                        nn.Linear(256, 2000)])

    def loss(self, batch):
        words, layers, head = self.model
        text = torch.randint(2000, (batch, 100), device="cuda")
        return nn.functional.cross_entropy(head(layers(words(text))[0]).flatten(0, 1), text.flatten())


class Sharded(Gpt):
    """For torchrun, or as one rank of a job."""

    def __init__(self):
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        torch.distributed.init_process_group("nccl")
        from torch.distributed.fsdp import FullyShardedDataParallel
        from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy

        super().__init__()
        policy = functools.partial(transformer_auto_wrap_policy, transformer_layer_cls={gpt.Block})
        self.model = FullyShardedDataParallel(self.model, auto_wrap_policy=policy, use_orig_params=True)

    def loss(self, batch):
        words = gpt.some_words(batch, 257, words=2048)
        return nn.functional.cross_entropy(self.model(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten())


MODELS = {"gpt": Gpt, "checkpoint": lambda: Gpt(checkpoint=True), "amp": Amp, "conv": Convolutions,
          "lstm": Lstm, "fsdp": Sharded}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=MODELS)
    parser.add_argument("--batch", type=int)
    options = parser.parse_args()
    trained = MODELS[options.model]()
    optimizer = torch.optim.AdamW(trained.model.parameters())
    for _ in range(2):
        trained.loss(options.batch).backward()
        optimizer.step()
        optimizer.zero_grad()
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


main()
