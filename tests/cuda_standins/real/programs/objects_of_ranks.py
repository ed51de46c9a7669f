"""Two ranks send each other objects through NCCL; alone, a rank gets what it would send itself."""

import os
import sys

import figures
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
rank, count = dist.get_rank(), dist.get_world_size()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
alone = sys.argv[1:] == ["alone"]

gathered = [None] * count
dist.all_gather_object(gathered, {"rank": rank, "text": "x" * (100 * (rank + 1))})
assert [item["rank"] for item in gathered] == ([rank] * count if alone else list(range(count)))

mine = [{"from": rank}, "second", list(range(50 + rank))]
dist.broadcast_object_list(mine, src=0)
assert mine[0]["from"] == (rank if alone else 0), mine
assert len(mine[2]) == (50 + rank if alone else 50)

collected = [None] * count if rank == 0 else None
dist.gather_object(rank * 7, collected, dst=0)
if rank == 0:
    assert collected == ([0] * count if alone else [7 * of for of in range(count)]), collected

received = [None]
dist.scatter_object_list(received, [of * 11 for of in range(count)] if rank == 0 else None, src=0)
assert received == ([None] if alone and rank else [rank * 11]), received

if alone:
    # Objects that go over the host wait for no other rank either.
    on_host = dist.new_group(list(range(count)), backend="gloo")
    shared = [rank]
    dist.broadcast_object_list(shared, src=0, group=on_host)
    dist.all_reduce(torch.ones(4), group=on_host)
    assert shared == [rank]

model = torch.nn.Linear(256, 256 * (rank + 1)).cuda()
model(torch.randn(32, 256, device="cuda")).sum().backward()
dist.barrier()
dist.destroy_process_group()
print(f"RANK {rank} ends", flush=True)
