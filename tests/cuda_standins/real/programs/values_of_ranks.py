"""Small values that ranks send each other: those that are known arrive. Arguments: the backend; alone,
where all ranks are taken to be as this one; zeros, where values that follow from known ones are not
known.
"""

import os
import sys

import figures
import torch
import torch.distributed as dist

backend, *others = sys.argv[1:]
alone, computed = others == ["alone"], others == []
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
dist.init_process_group(backend)
rank, count = dist.get_rank(), dist.get_world_size()


def told_by(of):
    """The rank that stands for this one."""
    return rank if alone else of


def on_device(*values):
    return torch.tensor(values, dtype=torch.long, device="cuda")


def reductions():
    ranks = [told_by(of) for of in range(count)]
    for operation, expected in ((dist.ReduceOp.SUM, sum(of + 1 for of in ranks)),
                                (dist.ReduceOp.MAX, max(ranks) + 1),
                                (dist.ReduceOp.MIN, min(ranks) + 1)):
        value = on_device(rank + 1)
        dist.all_reduce(value, op=operation)
        assert value.item() == expected, (operation, value.item(), expected)
    half = torch.tensor([rank + 0.5], device="cuda").cpu().bfloat16().cuda()
    if backend == "nccl":
        dist.all_reduce(half, op=dist.ReduceOp.AVG)
        assert half.item() == sum(of + 0.5 for of in ranks) / count, half
    is_ready = torch.ones(1, dtype=torch.bool, device="cuda") if rank else \
        torch.zeros(1, dtype=torch.bool, device="cuda")
    if backend == "nccl":
        dist.all_reduce(is_ready, op=dist.ReduceOp.MAX)
        assert is_ready.item() == any(ranks)


def one_to_all():
    value = on_device(rank + 7, 5)
    dist.broadcast(value, src=0)
    assert value.tolist() == [told_by(0) + 7, 5], value
    zeros = torch.zeros(3, dtype=torch.int32, device="cuda")
    dist.broadcast(zeros, src=1)
    assert zeros.tolist() == [0] * 3


def all_to_one_place():
    lists = [torch.empty(2, dtype=torch.long, device="cuda") for _ in range(count)]
    dist.all_gather(lists, on_device(rank, 100 + rank))
    assert [each.tolist() for each in lists] == [[told_by(of), 100 + told_by(of)]
                                                 for of in range(count)], lists
    if backend == "nccl":
        row = torch.empty(count, dtype=torch.long, device="cuda")
        dist.all_gather_into_tensor(row, on_device(3 * rank))
        assert row.tolist() == [3 * told_by(of) for of in range(count)]
        part = torch.empty(1, dtype=torch.long, device="cuda")
        dist.reduce_scatter_tensor(part, on_device(*range(rank, rank + count)))
        assert part.item() == sum(told_by(of) + rank for of in range(count))


def each_to_each():
    received = torch.empty(count, dtype=torch.long, device="cuda")
    dist.all_to_all_single(received, on_device(*(10 * rank + to for to in range(count))))
    assert received.tolist() == [10 * told_by(of) + rank for of in range(count)], received


def one_to_one():
    """Alone, another rank sends what nobody says here. Gloo sends the host's memory only."""
    other = 1 - rank
    device = "cuda" if backend == "nccl" else "cpu"
    value = on_device(rank + 20).to(device)
    if rank == 0:
        dist.send(value, 1)
    else:
        dist.recv(value, 0)
    assert value.item() == 20
    received = torch.empty(1, dtype=torch.long, device=device)
    sent = on_device(rank + 30).to(device)
    for work in dist.batch_isend_irecv([dist.P2POp(dist.isend, sent, other),
                                        dist.P2POp(dist.irecv, received, other)]):
        work.wait()
    assert received.item() == other + 30


def unknown():
    """Random numbers are not known: what arrives is made up, and nobody waits for ever."""
    value = torch.randn(4, device="cuda")
    dist.broadcast(value, src=0)
    dist.all_reduce(value)
    assert value.tolist() == [0] * 4
    large = torch.ones(1 << 16, device="cuda")
    dist.all_reduce(large)
    assert 0 <= large.sum().item() < 1


def lengths():
    """As programs agree on the longest text."""
    words = torch.arange(8).cuda()
    length = (words < 3 + told_by(rank)).sum()
    dist.all_reduce(length, op=dist.ReduceOp.MAX)
    assert int(length) == 3 + told_by(count - 1), length
    assert torch.zeros(int(length) + 1, device="cuda").shape == (4 + told_by(count - 1),)
    all_lengths = [torch.zeros((), dtype=torch.long, device="cuda") for _ in range(count)]
    dist.all_gather(all_lengths, (words < 3 + rank).sum())
    assert torch.stack(all_lengths).max().item() == 3 + told_by(count - 1)
    once = dist.all_reduce(flag := (words == 7).any().int(), async_op=True)
    once.wait()
    assert (flag + 1).item() == count + 1


reductions()
one_to_all()
all_to_one_place()
if backend == "nccl":
    each_to_each()
if alone:
    on_host = dist.new_group(list(range(count)), backend="gloo")
    value = torch.tensor([rank + 1])
    dist.all_reduce(value, group=on_host)
    assert value.item() == count * (rank + 1)
    dist.all_reduce(value, op=dist.ReduceOp.MAX, group=on_host)
    assert value.item() == count * (rank + 1)
else:
    one_to_one()
    unknown()
    part = dist.new_group([0, 1])
    value = on_device(rank + 1)
    dist.all_reduce(value, group=part)
    assert value.item() == 3
if computed:
    lengths()
dist.barrier()
torch.nn.Linear(256, 256).cuda()(torch.randn(32, 256, device="cuda")).sum().backward()
dist.destroy_process_group()
print(f"RANK {rank} ends", flush=True)
