"""A GPT of 1.5 billion parameters: 38.9 GiB on the device. STEP lines tell the processor time."""
import resource

import figures
import gpt
import torch


def seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    torch.set_num_threads(1)
    model = gpt.on_gpu(width=1600, layers=48, heads=25, words=50257)
    print("PARAMETERS", sum(weights.numel() for weights in model.parameters()))
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(6):
        before = seconds()
        model.loss(gpt.some_words(2, 1024, 50257)).backward()
        optimizer.step()
        optimizer.zero_grad()
        torch.cuda.synchronize()
        print("STEP", round(seconds() - before, 3))


main()
