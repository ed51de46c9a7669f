"""A training loop by accelerate."""
import figures
import torch
from accelerate import Accelerator
from torch import nn


def main():
    accelerator = Accelerator(gradient_accumulation_steps=2, mixed_precision="bf16")
    model = nn.Sequential(nn.Linear(1024, 4096), nn.GELU(), nn.Linear(4096, 10))
    data = torch.utils.data.TensorDataset(torch.randn(256, 1024), torch.randint(10, (256,)))
    loader = torch.utils.data.DataLoader(data, batch_size=32)
    optimizer = torch.optim.AdamW(model.parameters())
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for points, labels in loader:
        with accelerator.accumulate(model):
            accelerator.backward(nn.functional.cross_entropy(model(points), labels))
            optimizer.step()
            optimizer.zero_grad()


main()
