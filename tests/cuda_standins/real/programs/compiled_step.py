"""A step of an optimizer that is compiled: PyTorch's compiler goes through what watches it, and breaks nothing of it."""

import sys

import figures
import torch

unraisable = []
sys.unraisablehook = unraisable.append
model = torch.nn.Sequential(*(torch.nn.Linear(256, 256) for _ in range(4))).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=torch.tensor(1e-3))


@torch.compile(backend="aot_eager")
def step():
    optimizer.step()


for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(4, 256, device="cuda")).sum().backward()
    step()
assert not unraisable, unraisable
print("COMPILED", 3)
