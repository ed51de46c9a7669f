"""Data parallel training in two processes; the argument names the backend."""
import os
import sys

import figures
import objects_told
import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel


def train(rank, backend):
    os.environ.update(MASTER_ADDR="127.0.0.1", RANK=str(rank), WORLD_SIZE="2")
    torch.cuda.set_device(rank)
    distributed.init_process_group(backend, rank=rank, world_size=2)
    with torch.device("cuda", rank):
        model = nn.Sequential(*[nn.Linear(1024, 1024) for _ in range(6)])
    model = DistributedDataParallel(model, device_ids=[rank], bucket_cap_mb=8)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        model(torch.randn(128, 1024, device="cuda")).square().mean().backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()
    distributed.barrier()
    distributed.destroy_process_group()
    print(f"RANK {rank} ends", flush=True)


def main():
    os.environ["MASTER_PORT"] = str(20000 + os.getpid() % 20000)
    torch.multiprocessing.spawn(train, args=(sys.argv[1],), nprocs=2)


if __name__ == "__main__":
    main()
