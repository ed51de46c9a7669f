"""Tensors in memory pools of their own, which are deleted one after another."""
import figures
import torch


def main():
    pools = [torch.cuda.MemPool() for _ in range(3)]
    kept = []
    for turn in range(6):
        with torch.cuda.use_mem_pool(pools[turn % 3]):
            kept.append([torch.empty(turn + 1, 3 << 20, device="cuda") for _ in range(4)])
        kept.append(torch.empty(5 << 20, device="cuda"))
        if turn % 2:
            del kept[0]
    while pools:
        del pools[0]
    torch.cuda.empty_cache()
    del kept[:2]
    torch.cuda.empty_cache()


main()
