"""Pinned memory in graphs' captures. Since 2.15 PyTorch adds up the peaks of all pools, and those of
a pool that is gone go on counting; up to 2.14 a peak is that of all pools together."""
import figures
import torch

NEWEST = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 15)


def peak():
    return torch.cuda.host_memory_stats()["active_requests.peak"]


def pin():
    return torch.empty(1 << 20, dtype=torch.uint8, pin_memory=True)


def captured():
    graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.cuda.stream(stream):
        graph.capture_begin()
        pinned = pin()
        graph.capture_end()
    return graph, pinned


def main():
    torch.empty(1 << 20, device="cuda")
    first = pin()
    del first
    torch.accelerator.empty_host_cache()
    graph, pinned = captured()
    told = [peak()]
    del pinned
    graph.reset()
    torch.accelerator.empty_host_cache()
    held = [pin(), pin()]
    told.append(peak())
    held.append(pin())
    told.append(peak())
    assert told == ([2, 2, 3] if NEWEST else [1, 2, 3]), told
    print("PEAKS", told)


main()
