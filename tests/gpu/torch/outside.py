"""Memory of the GPU that PyTorch's allocator does not have, after each first use of a library:
outside.py. Leaves with 77 where torch or a GPU is missing. Inside `vramlab dry-run` it tells what the
dry run takes for it."""

import os

import training


def tell(torch, name):
    torch.cuda.synchronize()
    free, total = torch.cuda.mem_get_info()
    outside = total - free - torch.cuda.memory_reserved()
    print(f"{name}: {outside / 2**20:.0f} MiB outside PyTorch, {total} bytes in all", flush=True)


def allreduce(torch):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29517")
    torch.distributed.init_process_group("nccl", rank=0, world_size=1)
    torch.distributed.all_reduce(torch.ones(1 << 20, device="cuda"))


def uses(torch):
    from torch.nn import functional
    x = torch.ones(256, 256, device="cuda", requires_grad=True)
    half = torch.ones(8, 8, 256, 64, device="cuda", dtype=torch.bfloat16, requires_grad=True)
    picture = torch.ones(8, 32, 64, 64, device="cuda", requires_grad=True)
    kernel = torch.ones(32, 32, 3, 3, device="cuda", requires_grad=True)
    yield "element-wise operations", lambda: (x + 1).relu().sum().backward()
    yield "a matrix product", lambda: (x @ x).sum().backward()
    yield "a matrix product of 16 bits", lambda: (half @ half.mT).sum().backward()
    yield "attention", lambda: functional.scaled_dot_product_attention(half, half, half).sum().backward()
    yield "a convolution", lambda: functional.conv2d(picture, kernel).sum().backward()
    yield "random numbers and a sort", lambda: torch.randn(1 << 16, device="cuda").sort()
    yield "an optimizer", lambda: torch.optim.AdamW([x]).step()
    yield "a Fourier transform", lambda: torch.fft.fft(x.detach())
    yield "linear algebra", lambda: torch.linalg.eigh(x.detach())
    yield "sparse matrices", lambda: torch.sparse.mm(x.detach().to_sparse_csr(), x.detach())
    yield "a graph", lambda: capture(torch, x.detach())
    yield "NCCL with one rank", lambda: allreduce(torch)


def capture(torch, x):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x.add(1)
    graph.replay()


def main():
    training.needs_gpu()
    import torch
    torch.ones(1, device="cuda")
    tell(torch, "the context")
    for name, use in uses(torch):
        use()
        tell(torch, name)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


main()
