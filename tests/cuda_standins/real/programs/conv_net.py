"""A residual convolutional net: training and evaluation, half of the steps with channels last."""
import figures
import objects_told
import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, inside, outside, stride):
        super().__init__()
        self.path = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False), nn.BatchNorm2d(outside),
            nn.ReLU(), nn.Conv2d(outside, outside, 3, 1, 1, bias=False), nn.BatchNorm2d(outside))
        self.short = nn.Conv2d(inside, outside, 1, stride)

    def forward(self, x):
        return torch.relu(self.path(x) + self.short(x))


def main():
    with torch.device("cuda"):
        model = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3), nn.MaxPool2d(3, 2, 1),
                              Residual(64, 64, 1), Residual(64, 128, 2), Residual(128, 256, 2),
                              nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(4):
        pictures = torch.randn(32, 3, 224, 224, device="cuda")
        if step % 2:
            pictures = pictures.to(memory_format=torch.channels_last)
        labels = torch.randint(1000, (32,), device="cuda")
        nn.functional.cross_entropy(model(pictures), labels).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        model(torch.randn(8, 3, 320, 320, device="cuda"))


main()
