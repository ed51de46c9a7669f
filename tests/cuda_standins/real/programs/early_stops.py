"""Checkpointed regions whose second forward pass is ended by an exception, once all that a backward
pass needs is there. It passes through operators that free memory.
"""
import figures
import torch
from torch.utils.checkpoint import checkpoint


def with_dropout(given):
    return torch.nn.functional.dropout(given * given, 0.1) + 1


def with_sigmoid(given):
    return torch.sigmoid(given * given) + 1


def main():
    given = torch.randn(1 << 20, device="cuda", requires_grad=True)
    for step in range(4):
        for region in (with_dropout, with_sigmoid):
            checkpoint(region, given, use_reentrant=False).sum().backward()
        given.grad = None
    print("STEPS", step + 1)


main()
