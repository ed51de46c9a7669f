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


class Around(torch.optim.SGD):
    """Its step calls that of another optimizer, and may fail."""

    def __init__(self, parameters):
        super().__init__(parameters, lr=0.1)
        self.inner, self.fails = torch.optim.Adam(parameters), False

    def step(self, closure=None):
        self.inner.step()
        if self.fails:
            raise ValueError
        super().step()


def phases_of(document):
    return [document["phases"][int(number)] for number in document["devices"][0]["marks"].split()[1::3]]


def step_in_a_step(path):
    """The phases of a recording in which steps are in others, and one ends by an exception."""
    model = nn.Linear(64, 64).cuda()
    optimizer = Around(list(model.parameters()))
    with vramlab.torch.record(path, kinds=True):
        train(model, optimizer)
        torch.ones(64, device="cuda")
        optimizer.fails = True
        try:
            train(model, optimizer)
        except ValueError:
            pass
        train(model, optimizer.inner)
        torch.ones(64, device="cuda")
    return phases_of(pickle.loads(path.read_bytes())["vramlab_kinds"])


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
        phases = step_in_a_step(pathlib.Path(folder) / "nested.pickle")
        document = pickle.loads(path.read_bytes())["vramlab_kinds"]
    assert document["troubles"] == [] and "0.weight" in document["names"], document
    assert phases[-1] == "other" and phases.count("forward") == 5, phases
    assert nn.Module.__call__ is before
    objects = [model, optimizer, *model.modules(), *model.parameters()]
    references = [weakref.ref(each) for each in objects]
    del model, optimizer, objects
    gc.collect()
    print("ALIVE", sum(reference() is not None for reference in references))


main()
