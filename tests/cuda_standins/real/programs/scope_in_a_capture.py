"""The scope of a pool that is opened in a capture: the graph's own pool takes all that the stream asks
for, and the scope's takes nothing. Both end, and what was free in them is given back."""
import figures
import torch

MIB = 1 << 20


def block(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def main():
    pool = torch.cuda.MemPool()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        inside = [block(12)]
        with torch.cuda.use_mem_pool(pool):
            inside.append(block(12))
        inside.append(block(12))
    del inside, graph, pool
    cached = block(100)
    del cached
    torch.cuda.empty_cache()
    kept = block(12)
    print("GIVEN BACK", len(kept) // MIB)


main()
