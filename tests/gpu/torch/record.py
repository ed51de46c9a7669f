"""Recordings of PyTorch's own allocator on a GPU, of what public recordings lack:
record.py CASE OUT.pickle, or record.py --list

Each case is a process of its own, so that its options are in force from the start. Leaves with 77
where torch or a GPU is missing."""

import random
import sys

MIB = 1 << 20
OPTIONS = {
    "record_stream": "",
    "graph_pools": "",
    "garbage": "garbage_collection_threshold:0.5",
    "max_split": "max_split_size_mb:32",
    "rounding": "roundup_power2_divisions:4",
    "expandable": "expandable_segments:True",
    "out_of_memory": "",
}


def churn(torch, steps, largest):
    """Tensors of random sizes that come and go."""
    numbers = random.Random(6)
    held = []
    for _ in range(steps):
        held.append(torch.empty(numbers.randrange(1, largest), dtype=torch.uint8, device="cuda"))
        if len(held) > 40:
            held.pop(numbers.randrange(len(held)))
    return held


def record_stream(torch):
    side = torch.cuda.Stream()
    for i in range(200):
        block = torch.empty((1 + i % 7) * MIB, dtype=torch.uint8, device="cuda")
        with torch.cuda.stream(side):
            block.fill_(i % 256)
        block.record_stream(side)
        del block
    churn(torch, 200, 8 * MIB)
    side.synchronize()


def graph_pools(torch):
    given = torch.zeros(MIB, device="cuda")
    warm = torch.cuda.Stream()
    warm.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(warm):
        (given * 2 + 1).sum()
    torch.cuda.current_stream().wait_stream(warm)
    graphs = []
    for _ in range(3):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = (given * 2 + 1).sum()
        graphs.append((graph, result))
    for graph, _ in graphs:
        graph.replay()
    churn(torch, 200, 8 * MIB)
    torch.cuda.synchronize()


def garbage(torch):
    torch.cuda.set_per_process_memory_fraction(0.05)
    churn(torch, 2000, 64 * MIB)


def out_of_memory(torch):
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.set_per_process_memory_fraction(min(1.0, 2048 * MIB / total))
    held = []
    try:
        while True:
            held.append(torch.empty(100 * MIB, dtype=torch.uint8, device="cuda"))
    except torch.OutOfMemoryError:
        print("ran out of memory, as it should")
    held.clear()
    churn(torch, 200, 32 * MIB)


def plain(torch):
    churn(torch, 2000, 64 * MIB)


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(OPTIONS))
        return
    case, output = sys.argv[1:3]
    try:
        import torch
    except ImportError:
        print("SKIPPED: torch is missing. NOTHING WAS TESTED ON A GPU.")
        sys.exit(77)
    if not torch.cuda.is_available():
        print("SKIPPED: torch finds no GPU. NOTHING WAS TESTED ON A GPU.")
        sys.exit(77)
    if OPTIONS[case]:
        torch.cuda.memory._set_allocator_settings(OPTIONS[case])
    torch.cuda.memory._record_memory_history(max_entries=1_000_000)
    globals().get(case, plain)(torch)
    torch.cuda.memory._dump_snapshot(output)
    print(f"{case}: recorded with torch {torch.__version__}")


main()
