"""One model, eight optimizers, one after another."""
import figures
import objects_told
import torch
from torch import nn, optim


def main():
    with torch.device("cuda"):
        model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(6)])
    choices = [(optim.Adam, {"foreach": True}), (optim.Adam, {"fused": True}),
               (optim.AdamW, {"foreach": False, "amsgrad": True}), (optim.SGD, {"momentum": 0.9}),
               (optim.SGD, {"fused": True}), (optim.RMSprop, {}), (optim.Adagrad, {}),
               (optim.Adafactor, {}) if hasattr(optim, "Adafactor") else (optim.Adamax, {})]
    for kind, options in choices:
        optimizer = kind(model.parameters(), lr=0.01, **options)
        for _ in range(2):
            model(torch.randn(256, 1024, device="cuda")).sum().backward()
            optimizer.step()
            objects_told.tell(model, optimizer)
            optimizer.zero_grad()


main()
