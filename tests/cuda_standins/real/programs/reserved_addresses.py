"""Expandable segments that may reserve few addresses: several segments of a stream and a pool, some
full. With `fails` also requests that are larger than a segment, which the program catches."""
import sys

import figures
import torch

MIB = 1 << 20


def take(mebibytes, stream=None):
    with torch.cuda.stream(stream):
        return torch.empty(int(mebibytes * MIB), dtype=torch.uint8, device="cuda")


def fill_and_empty(kept, other):
    kept += [take(300), take(300), take(0.001), take(300), take(200, other), take(600, other)]
    kept[1] = kept[3] = None
    kept += [take(250), take(100), take(3), take(0.1, other)]
    kept[0] = None
    kept += [take(600), take(250)]
    kept[4] = kept[5] = None
    torch.cuda.empty_cache()
    kept += [take(30), take(500, other), take(40)]


def fails(mebibytes):
    try:
        take(mebibytes)
        return 0
    except torch.cuda.OutOfMemoryError as failure:
        assert "expandable-segment reserve" in str(failure), failure
        return 1


def main():
    kept, failures = [], 0
    other = torch.cuda.Stream()
    for turn in range(3):
        fill_and_empty(kept, other)
        if "fails" in sys.argv:
            failures += fails(1200) + fails(2000)
        del kept[turn::2]
    pool = torch.cuda.MemPool()
    with torch.cuda.use_mem_pool(pool):
        kept += [take(700), take(500)]
    print("FAILURES", failures)


main()
