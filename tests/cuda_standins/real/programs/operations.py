"""Ordinary operations, each by itself; operations.txt has them, one expression a line. Those that
raise because values of the device are made up are named here, and no others may."""
import gc
import pathlib
import sys

import figures
import torch
import torch.nn.functional as F
from torch import distributions, linalg, nn


def tensors():
    """The tensors that the operations below are called with, by name."""
    torch.manual_seed(1)
    with torch.device("cuda"):
        rows = torch.randn(64, 48)
        square = torch.randn(6, 16, 16)
        images = torch.randn(4, 8, 32, 32)
        return {"v": torch.randn(1000), "long": torch.randn(300_000), "m": rows,
                "s": square, "spd": square @ square.mT + torch.eye(16), "x": images,
                "i": torch.randint(0, 64, (1000,)), "few": torch.randint(0, 5, (64,)),
                "mask": rows > 0, "ones": torch.ones(64, 48, dtype=torch.bool),
                "volume": torch.randn(2, 4, 8, 16, 16), "line": torch.randn(4, 8, 100),
                "q": torch.randn(2, 4, 128, 64, dtype=torch.float16),
                "cells": torch.randn(20, 4, 32), "c": torch.randn(64, dtype=torch.complex64),
                "grad": torch.randn(64, 48, requires_grad=True)}


# PyTorch checks sums, smallest values and offsets that were computed.
RAISING = {
    "torch.segment_reduce(m, 'sum', lengths=torch.tensor([20, 44], device='cuda'))",
    "torch.lobpcg(spd[0], k=3)",
    "torch.istft(torch.stft(v, 64, window=torch.hann_window(64, device='cuda'), "
    "return_complex=True), 64, window=torch.hann_window(64, device='cuda'))",
    "torch.nested.nested_tensor_from_jagged(m, torch.tensor([0, 20, 64], device='cuda')).unbind()",
    "sampled(distributions.Wishart(torch.tensor(20.0, device='cuda'), spd[0]))",
}

# Without the argument `zeros`: values that follow from known ones are computed.
RAISING_COMPUTED = RAISING - {
    "torch.lobpcg(spd[0], k=3)",
    "torch.segment_reduce(m, 'sum', lengths=torch.tensor([20, 44], device='cuda'))",
    "sampled(distributions.Wishart(torch.tensor(20.0, device='cuda'), spd[0]))",
}


def setitem(tensor, where, value):
    tensor[where] = value


def backward(module, *arguments):
    out = module.cuda()(*arguments)
    while isinstance(out, tuple):
        out = out[0]
    out.sum().backward()


def sampled(distribution):
    distribution.log_prob(distribution.sample())
    if distribution.has_rsample:
        distribution.rsample()


def sparse_adam(table, places):
    table = nn.Parameter(table.clone())
    optimizer = torch.optim.SparseAdam([table])
    F.embedding(places, table, sparse=True).sum().backward()
    optimizer.step()


def optimized(name, rows, **options):
    if not hasattr(torch.optim, name):
        return
    layer = nn.Linear(48, 8, bias=name != "Muon", device="cuda")
    optimizer = getattr(torch.optim, name)(layer.parameters(), lr=0.1, **options)

    def closure():
        optimizer.zero_grad()
        loss = layer(rows).square().sum()
        loss.backward()
        return loss
    for _ in range(2):
        optimizer.step(closure)


def scaled(rows):
    layer, scaler = nn.Linear(48, 8, device="cuda"), torch.amp.GradScaler("cuda")
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    with torch.autocast("cuda", dtype=torch.float16):
        loss = layer(rows).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()


def checkpointed(rows):
    from torch.utils.checkpoint import checkpoint
    checkpoint(nn.Linear(48, 8, device="cuda"), rows.clone().requires_grad_(),
               use_reentrant=False).sum().backward()


def autocasted(rows):
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return rows @ rows.T


def attention(backend, q):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    with sdpa_kernel(getattr(SDPBackend, backend)):
        q = q.clone().requires_grad_()
        F.scaled_dot_product_attention(q, q, q).sum().backward()


def flex(q):
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    causal = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cuda")
    flex_attention(q, q, q, block_mask=causal)


def nested():
    lengths = torch.tensor([3, 5], device="cuda")
    parts = torch.randn(2, 5, 8, device="cuda")
    made = torch.nested.narrow(parts, 1, torch.zeros_like(lengths), lengths, layout=torch.jagged)
    made.sin()


def nested_attention(q):
    made = torch.nested.nested_tensor([q[0, 0], q[0, 1, :9]], layout=torch.jagged)
    made = made.unflatten(-1, [4, 16]).transpose(1, 2)
    F.scaled_dot_product_attention(made, made, made)


def saved(rows):
    import io
    file = io.BytesIO()
    torch.save(rows, file)
    file.seek(0)
    torch.load(file, map_location="cuda", weights_only=True)


def first_line(failure):
    text = str(failure).strip().splitlines()
    return f"{type(failure).__name__}: {text[0] if text else ''}"[:140]


def raised(line):
    try:
        eval(line, {**globals(), **tensors()})
        torch.cuda.synchronize()
    except Exception as failure:
        print(f"{line} | {first_line(failure)}", flush=True)
        return True
    return False


def raised_and_collected(line):
    """By itself, Python's collector frees what an operation leaves at a moment that follows from how many objects
    there are, those of the dry run among them: masks of flexible attention went earlier where kinds were recorded."""
    has_raised = raised(line)
    gc.collect()
    gc.freeze()
    return has_raised


def main():
    text = pathlib.Path(__file__).with_suffix(".txt").read_text()
    is_computed = "zeros" not in sys.argv[1:]
    expected = RAISING_COMPUTED if is_computed else RAISING
    lines = [line for line in text.splitlines() if line]
    gc.disable()
    raising = {line for line in lines if raised_and_collected(line)}
    if raising != expected:
        raise RuntimeError(f"raised: {raising - expected}; did not: {expected - raising}")
    print("TRIED", len(lines))


main()
