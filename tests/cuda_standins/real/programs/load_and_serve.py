"""A model is loaded, and then answers requests that get longer: options that suit the one do not suit the
other (`vramlab advise --phases`)."""
import figures
import torch
from torch import nn

WIDTH = 2944


def load():
    layers = [nn.Linear(WIDTH, WIDTH, device="cuda") for _ in range(24)]
    return nn.Sequential(*layers).eval()


def serve(model):
    for request in range(16):
        words = torch.empty(3600 + 620 * request, WIDTH, device="cuda")
        kept = []
        for layer in model:
            words = torch.relu(layer(words))
            kept.append(words)


def main():
    model = load()
    with torch.no_grad():
        serve(model)
    print("PEAK", torch.cuda.max_memory_reserved())


main()
