"""Loops that empty the cache, with memory held across."""
import gc

import figures
import torch


def main():
    held = []
    for turn in range(30):
        blocks = [torch.empty((turn % 7 + 1) << shift, device="cuda") for shift in range(12, 25)]
        held.append(blocks[turn % 13])
        del blocks
        if turn % 3 == 0:
            gc.collect()
            torch.cuda.empty_cache()
        if len(held) > 8:
            del held[::2]
    torch.cuda.empty_cache()


main()
