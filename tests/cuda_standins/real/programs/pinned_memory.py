"""Pinned memory in many sizes, copied both ways on several streams, with frees that wait for them
and caches that are emptied. It writes down what it does as a native trace, so that a replay can be
compared with what the dry run's runtime saw, and ends with PyTorch's own figures."""
import json
import os
import random

import figures
import pinned_trace
import torch


def main():
    torch.cuda.init()
    trace = pinned_trace.PinnedTrace("pinned.vtrace.jsonl",
                                     os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""))
    numbers = random.Random(7)
    streams = [torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()]
    held, sent = [], []
    for step in range(400):
        with torch.cuda.stream(numbers.choice(streams)):
            held.append(list(trace.pin(numbers.choice([numbers.randint(1, 5000),
                                                       numbers.randint(1, 3 << 20)]))))
            if numbers.random() < 0.6:
                sent.append(trace.send(numbers.choice(held)))
            if sent and numbers.random() < 0.2:
                back = sent[numbers.randrange(len(sent))]
                target = list(trace.pin(back.numel()))
                trace.fetch(target, back)
                held.append(target)
        while len(held) > numbers.randint(1, 12):
            trace.drop(held.pop(numbers.randrange(len(held))))
        if step % 17 == 16:
            trace.synchronize()
            sent.clear()
        if step % 97 == 96:
            trace.empty_cache()
    trace.finish()
    stats = torch.cuda.host_memory_stats() if hasattr(torch.cuda, "host_memory_stats") else {}
    print("HOST " + json.dumps(stats), flush=True)


main()
