"""A model whose sizes tell its modules apart. A request that fails marks a moment, and a line
`PATHS {...}` tells the bytes of saved activations by module then. The argument: plain, checkpointed or
compiled."""
import json
import sys

import figures
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

ROWS = 64
WIDTHS = {"first": 1024, "second": 1536, "third": 2560, "fourth": 640}


class Stage(nn.Module):
    """Keeps the result of tanh, and not the result of the linear layer."""

    def __init__(self, inside, outside):
        super().__init__()
        self.linear, self.tanh = nn.Linear(inside, outside), nn.Tanh()

    def forward(self, x):
        return self.tanh(self.linear(x))


class Model(nn.Module):
    def __init__(self, how):
        super().__init__()
        self.how, inside = how, 256
        for name, outside in WIDTHS.items():
            setattr(self, name, Stage(inside, outside))
            inside = outside

    def forward(self, x):
        for name in WIDTHS:
            x = self.call(getattr(self, name), x)
        return x

    def call(self, stage, x):
        if self.how != "checkpointed":
            return stage(x)
        return checkpoint(lambda x: Fails.apply(stage(x), stage), x, use_reentrant=False)


class Fails(torch.autograd.Function):
    """The backward of the second stage has what it needs, and a request fails."""

    @staticmethod
    def forward(context, x, stage):
        context.is_second = stage.linear.out_features == WIDTHS["second"]
        context.save_for_backward(x)
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        assert context.saved_tensors
        if context.is_second:
            fail()
        return gradient, None


def fail():
    try:
        torch.empty(1 << 42, device="cuda")
    except torch.cuda.OutOfMemoryError:
        pass


def main():
    how = sys.argv[1]
    with torch.device("cuda"):
        model = Model(how)
        x = torch.randn(ROWS, 256)
    part = "" if how == "compiled" else ".tanh"
    kept = {name + part: 4 * ROWS * width for name, width in WIDTHS.items()}
    if how == "compiled":
        for name in WIDTHS:
            setattr(model, name, torch.compile(getattr(model, name), backend="aot_eager"))
    if how == "checkpointed":
        # The inputs of regions, and what the second computed again.
        kept = {"first.tanh": kept["first.tanh"], "second.tanh": kept["second.tanh"]}
    loss = model(x).sum()
    if how != "checkpointed":
        fail()
    loss.backward()
    print("PATHS " + json.dumps(kept))


main()
