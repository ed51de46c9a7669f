"""torch.cuda.make_graphed_callables for a part of a model. On one thread: autograd's own frees memory
of the last pass before or after the cache is emptied for the capture, so that runs differ."""
import figures
import torch
from torch import nn


def main():
    with torch.device("cuda"):
        first, second = nn.Linear(512, 2048), nn.Sequential(nn.ReLU(), nn.Linear(2048, 512))
        sample = torch.randn(640, 512, requires_grad=True)
        inner = torch.randn(640, 2048, requires_grad=True)
    first, second = torch.cuda.make_graphed_callables((first, second), ((sample,), (inner,)))
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    for _ in range(4):
        optimizer.zero_grad(set_to_none=True)
        second(first(torch.randn(640, 512, device="cuda"))).square().mean().backward()
        optimizer.step()


with torch.autograd.set_multithreading_enabled(False):
    main()
