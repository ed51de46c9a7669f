"""A model in two stages on two devices, with copies between them. Run with two GPUs."""
import figures
import torch
from torch import nn


def main():
    assert torch.cuda.device_count() == 2
    assert torch.cuda.can_device_access_peer(0, 1) in (True, False)
    stages = [nn.Sequential(*[nn.Linear(1024, 1024, device=f"cuda:{device}") for _ in range(4)])
              for device in range(2)]
    parameters = [weights for stage in stages for weights in stage.parameters()]
    optimizer = torch.optim.Adam(parameters)
    for _ in range(3):
        for part in torch.randn(4, 512, 1024, device="cuda:0"):
            stages[1](stages[0](part).to("cuda:1")).square().mean().backward()
        optimizer.step()
        optimizer.zero_grad()


main()
