"""Scopes of memory pools, and captures of graphs, around frees of blocks that other streams used,
emptied caches and requests for which there is no room. Up to PyTorch 2.12 a scope holds all of
them back; later versions hold back only what is asked for where the stream captures."""
import figures
import torch

MIB = 1 << 20
KEPT = []


def block(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def used_block(mib, stream):
    taken = block(mib)
    taken.record_stream(stream)
    return taken


def frees_in_a_scope(pool, side):
    for turn in range(4):
        shared = used_block(30 + turn, side)
        with torch.cuda.use_mem_pool(pool):
            KEPT.append(block(5))
            del shared
            torch.cuda.synchronize()
            KEPT.append(block(24))
        KEPT.append(block(30))


def request_without_room_in_a_scope(pool):
    cached = block(600)
    del cached
    with torch.cuda.use_mem_pool(pool):
        try:
            KEPT.append(block(1000))
        except torch.cuda.OutOfMemoryError:
            print("NO ROOM")


def captures(side):
    for pool in (None, torch.cuda.graph_pool_handle()):
        shared = used_block(40, side)
        before = used_block(12, side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            del shared
            inside = used_block(21, side)
            del inside
            KEPT.append(block(22))
            try:
                block(2000)
            except torch.cuda.OutOfMemoryError:
                print("NO ROOM IN A CAPTURE")
        del before
        KEPT.append(graph)
        KEPT.append(block(3))


def main():
    side = torch.cuda.Stream()
    pool = torch.cuda.MemPool()
    KEPT.append(pool)
    KEPT.append(block(1))
    frees_in_a_scope(pool, side)
    request_without_room_in_a_scope(pool)
    captures(side)
    torch.cuda.empty_cache()
    KEPT.append(block(50))
    print("SCOPES END")


main()
