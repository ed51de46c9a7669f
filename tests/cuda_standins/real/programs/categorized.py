"""Programs for kinds_compared.py: a model is trained while PyTorch's own profiler watches, which then says
its categories at the peak, as a line `CATEGORIES {...}`. The arguments: plain, amp, checkpointed or conv; and
whether the profiler watches."""
import contextlib
import json
import sys

import gpt
import objects_told
import torch
from torch import nn
from torch.profiler import _memory_profiler, profile


def convolution():
    parts = [nn.Conv2d(3, 64, 7, 2, 3)]
    for _ in range(6):
        parts += [nn.Conv2d(64, 64, 3, padding=1, bias=False), nn.BatchNorm2d(64), nn.ReLU()]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 100)).cuda()


def step_of(how):
    if how == "conv":
        model = convolution()
        loss = lambda: nn.functional.cross_entropy(
            model(torch.randn(32, 3, 224, 224, device="cuda")), torch.randint(100, (32,), device="cuda"))
    else:
        model = gpt.on_gpu(checkpoint=how == "checkpointed")
        loss = lambda: model.loss(gpt.some_words(8, 513))
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=how == "amp"):
            lost = loss()
        lost.backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()

    return step


def told_by(profiler):
    """Bytes by category when the categories together are most."""
    timeline = _memory_profiler.MemoryProfileTimeline(profiler._memory_profile())
    _, sizes = timeline._coalesce_timeline("cuda:0")
    names = {place: category.name.lower() if category else "unknown"
             for category, place in _memory_profiler._CATEGORY_TO_INDEX.items()}
    at_peak = max(sizes, key=sum)
    return {names.get(place - 1, str(place)): size for place, size in enumerate(at_peak) if size}


def main():
    how, is_watched = sys.argv[1], sys.argv[2] == "watched"
    watching = profile(profile_memory=True, record_shapes=True, with_stack=True) if is_watched \
        else contextlib.nullcontext()
    with watching as profiler:
        step = step_of(how)
        for _ in range(3):
            step()
    if is_watched:
        print("CATEGORIES " + json.dumps(told_by(profiler)))


main()
