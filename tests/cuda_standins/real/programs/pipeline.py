"""Two stages of a pipeline in two processes that send and receive; started by torchrun."""
import os

import figures
import torch
from torch import distributed, nn


def main():
    rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(rank)
    distributed.init_process_group("nccl")
    stage = nn.Sequential(*[nn.Linear(2048, 2048, device="cuda") for _ in range(4)])
    optimizer = torch.optim.SGD(stage.parameters(), lr=0.1)
    for _ in range(6):
        if rank == 0:
            result = stage(torch.randn(256, 2048, device="cuda"))
            distributed.send(result.detach(), 1)
            slope = torch.empty_like(result)
            distributed.recv(slope, 1)
            result.backward(slope)
        else:
            arrived = torch.empty(256, 2048, device="cuda", requires_grad=True)
            distributed.recv(arrived.data, 0)
            stage(arrived).square().mean().backward()
            distributed.send(arrived.grad, 0)
        optimizer.step()
        optimizer.zero_grad()
    distributed.destroy_process_group()
    print(f"RANK {rank} ends", flush=True)


main()
