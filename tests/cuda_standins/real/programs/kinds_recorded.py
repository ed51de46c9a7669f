"""A recording with kinds of memory: nothing is changed by it, and it keeps nothing alive."""
import gc
import pathlib
import pickle
import tempfile
import weakref

import figures
import torch
import vramlab_module
from torch import nn

import vramlab.torch


def train(model, optimizer):
    for _ in range(2):
        model(torch.randn(4, 64, device="cuda")).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def main():
    before = nn.Module.__call__
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).cuda()
    optimizer = torch.optim.Adam(model.parameters())
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.pickle"
        with vramlab.torch.record(path, kinds=True):
            train(model, optimizer)
        document = pickle.loads(path.read_bytes())["vramlab_kinds"]
    assert document["troubles"] == [] and "0.weight" in document["names"], document
    assert nn.Module.__call__ is before
    objects = [model, optimizer, *model.modules(), *model.parameters()]
    references = [weakref.ref(each) for each in objects]
    del model, optimizer, objects
    gc.collect()
    print("ALIVE", sum(reference() is not None for reference in references))


main()
