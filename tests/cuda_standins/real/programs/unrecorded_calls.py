"""Calls that leave no entry in PyTorch's history and may do something under other options: caches that
are emptied in vain, here and in scopes of pools, and pools that end while their blocks are in use."""
import figures
import torch

MIB = 1 << 20


def block(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def end_pool_with_blocks_in_use():
    """With expandable segments, blocks of 12 MiB share units of 20 MiB, so less can be released."""
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        blocks = [block(12) for _ in range(5)]
        torch.cuda.empty_cache()
    del blocks[1::2]
    del pool
    return blocks


def main():
    held = [block(12) for _ in range(2)]
    for turn in range(12):
        held.append(block(12 + turn % 3))
        torch.cuda.empty_cache()
        del held[turn % 2]
        torch.cuda.empty_cache()
    for _ in range(3):
        held += end_pool_with_blocks_in_use()
        held.append(block(7))
        del held[-3]
        torch.cuda.empty_cache()
    del held[::3]
    torch.cuda.empty_cache()
    torch.cuda.empty_cache()


main()
