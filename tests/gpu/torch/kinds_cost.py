"""The cost of a recording on the GPU, with kinds of memory and without: kinds_cost.py

Each program runs alone, recorded, and recorded with kinds, in turns. Told is the median of the times of
its steps, and that of the processor's time. Leaves with 77 where torch or a GPU is missing."""

import contextlib
import os
import pathlib
import statistics
import sys
import tempfile
import time

import training

HERE = pathlib.Path(__file__).resolve().parent
TURNS = 4
STEPS = 20
HOWS = ("alone", "recorded", "kinds")


def gpt():
    """A GPT with 16-bit attention: few large kernels, so that the GPU is what a step waits for."""
    import torch
    sys.path.insert(0, str(HERE.parents[1] / "cuda_standins" / "real" / "programs"))
    from gpt import on_gpu, some_words
    model = on_gpu(width=1024, layers=24, heads=16)
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        words = some_words(8, 1024)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = model.loss(words)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def convolutions():
    """Many small modules: the processor is what a step waits for."""
    import torch
    from torch import nn

    def block(width):
        return nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU())
    model = nn.Sequential(nn.Conv2d(3, 32, 3), *(block(32) for _ in range(40)), nn.AdaptiveAvgPool2d(1),
                          nn.Flatten(), nn.Linear(32, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)

    def step():
        model(torch.randn(4, 3, 32, 32, device="cuda")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()
    return step


def times_of(step):
    import torch
    told = []
    for _ in range(STEPS):
        began, busy = time.monotonic(), time.process_time()
        step()
        torch.cuda.synchronize()
        told.append((1000 * (time.monotonic() - began), 1000 * (time.process_time() - busy)))
    return told


def run(program):
    step = {"gpt": gpt, "convolutions": convolutions}[program]()
    times_of(step)
    sys.path.insert(0, str(HERE.parents[2] / "tools" / "python"))
    import vramlab.torch
    found = {how: [] for how in HOWS}
    for _ in range(TURNS):
        for how in HOWS:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "recording.pickle")
                recording = vramlab.torch.record(path, kinds=how == "kinds")
                with contextlib.nullcontext() if how == "alone" else recording:
                    found[how].append(times_of(step))
    for how in HOWS:
        first, later = ([times for turn in found[how] for times in turn[part]] for part in (slice(3), slice(3, None)))
        told = [statistics.median(column) for part in (first, later) for column in zip(*part)]
        print(f"{program}, {how}: first three steps {told[0]:.2f} ms ({told[1]:.2f} ms of processor time), "
              f"later {told[2]:.2f} ms ({told[3]:.2f} ms)", flush=True)


def main():
    training.needs_gpu()
    for program in ("gpt", "convolutions"):
        run(program)


if __name__ == "__main__":
    main()
