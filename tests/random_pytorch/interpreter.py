"""Does the operations of a program on PyTorch. The methods of Interpreter are the operations."""

import threading

import torch


class Interpreter:
    def __init__(self):
        # By name: a tensor, a storage, an address of caching_allocator_alloc, or None where it failed.
        self.blocks = {}
        self.places = {}  # The addresses of tensors, also of those that are gone.
        self.side_streams = {}
        self.pools, self.scopes = {}, []
        self.handles, self.graphs = {}, {}
        self.capture = None
        self.scratch = {}

    def do(self, operation):
        name, *arguments = operation
        getattr(self, name)(*arguments)

    # ---- Blocks

    def alloc(self, name, size, stream, device):
        try:
            with torch.cuda.stream(self.stream(stream, device)):
                self.blocks[name] = torch.empty(size, dtype=torch.uint8, device=f"cuda:{device}")
            self.places[name] = self.blocks[name].data_ptr()
        except torch.OutOfMemoryError:
            self.blocks[name] = None

    def alloc_at(self, name, size, base, offset):
        """A block that begins so far behind the place where another one was. Versions that can't do that look for one."""
        address = self.places[base] + offset
        block = torch.empty(0, dtype=torch.uint8, device="cuda").untyped_storage()
        if hasattr(block, "_resize_with_addr_"):
            block._resize_with_addr_(size, address)
            self.blocks[name] = block
        else:
            self.alloc(name, size, 0, 0)

    def raw_alloc(self, name, size, stream, device):
        try:
            self.blocks[name] = torch.cuda.caching_allocator_alloc(size, device, self.stream(stream, device))
        except torch.OutOfMemoryError:
            self.blocks[name] = None

    def thread_alloc(self, *arguments):
        in_another_thread(lambda: self.alloc(*arguments))

    def free(self, name):
        block = self.blocks.pop(name, None)
        if isinstance(block, int):
            torch.cuda.caching_allocator_delete(block)

    def thread_free(self, names):
        held = [self.blocks.pop(name, None) for name in names]
        in_another_thread(held.clear)

    def record(self, name, stream, device):
        block = self.blocks.get(name)
        if isinstance(block, torch.Tensor):
            block.record_stream(self.stream(stream, device))

    def share(self, name):
        self.handles["shared block"] = self.blocks[name].untyped_storage()._share_cuda_()

    # ---- Streams

    def stream(self, index, device):
        if index == "capturing" or self.capture and index == 0:
            return torch.cuda.current_stream(device)
        if index == 0:
            return torch.cuda.default_stream(device)
        if (index, device) not in self.side_streams:
            self.side_streams[index, device] = torch.cuda.Stream(device=device)
        return self.side_streams[index, device]

    def streams(self, count):
        for index in range(1, count):
            self.stream(index, 0)

    def work(self, stream, device, kernels):
        if self.capture:
            return
        if device not in self.scratch:
            with torch.cuda.stream(self.stream(0, device)):
                self.scratch[device] = torch.empty(512, dtype=torch.uint8, device=f"cuda:{device}")
        with torch.cuda.stream(self.stream(stream, device)):
            for _ in range(kernels):
                self.scratch[device].zero_()

    def sync(self, device):
        torch.cuda.synchronize(device)

    def sync_stream(self, index):
        self.stream(index, 0).synchronize()

    def wait(self, index, other):
        self.stream(index, 0).wait_stream(self.stream(other, 0))

    def fork(self, index):
        self.stream(index, 0).wait_stream(torch.cuda.current_stream())

    def join(self, index):
        torch.cuda.current_stream().wait_stream(self.stream(index, 0))

    # ---- Pools and graphs

    def pool_new(self, pool, options):
        try:
            self.pools[pool] = torch.cuda.MemPool(**options)
        except TypeError:  # Versions that have none of these options.
            self.pools[pool] = torch.cuda.MemPool()

    def pool_enter(self, pool):
        scope = torch.cuda.use_mem_pool(self.pools[pool])
        scope.__enter__()
        self.scopes.append(scope)

    def pool_exit(self):
        self.scopes.pop().__exit__(None, None, None)

    def pool_end(self, pool):
        self.pools.pop(pool)

    def pool_handle(self, name):
        self.handles[name] = torch.cuda.graph_pool_handle()

    def pool_to_share(self, share):
        if share in self.graphs:
            return self.graphs[share].pool()
        return self.handles.get(share)

    def capture_begin(self, graph, share, how):
        captured, pool = torch.cuda.CUDAGraph(), self.pool_to_share(share)
        if how == "with":
            scope = torch.cuda.graph(captured, pool=pool)
            scope.__enter__()
        else:
            torch.cuda.synchronize()
            if "capturing" not in self.handles:
                self.handles["capturing"] = torch.cuda.Stream()
            scope = torch.cuda.stream(self.handles["capturing"])
            scope.__enter__()
            captured.capture_begin(**({"pool": pool} if pool else {}))
        self.capture = (graph, captured, scope, how)

    def capture_end(self):
        graph, captured, scope, how = self.capture
        if how != "with":
            captured.capture_end()
        scope.__exit__(None, None, None)
        self.capture = None
        self.graphs[graph] = captured

    def graph_end(self, graph):
        self.graphs.pop(graph)

    def graph_replay(self, graph):
        self.graphs[graph].replay()

    def first_of_trees(self, size_gib):
        """The size of the first block in the pool of graph trees, which is freed at once; since 2.15."""
        from torch._inductor import config

        config.triton.cudagraph_initial_mempool_allocation_gb = size_gib

    def trees(self, batches, rounds, backward):
        with torch.device("cuda"):
            net = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 256))
        compiled = torch.compile(net, backend="cudagraphs", dynamic=False)
        for batch in batches * rounds:
            # Gradients that a graph made are gone when it runs again.
            net.zero_grad(set_to_none=True)
            torch.compiler.cudagraph_mark_step_begin()
            first = compiled(torch.randn(batch, 256, device="cuda")).clone()
            if backward:
                first.sum().backward()
            first = first.detach()
            torch.compiler.cudagraph_mark_step_begin()
            second = compiled(first).clone()
            del first, second

    # ---- The allocator

    def empty_cache(self):
        torch.cuda.empty_cache()

    def fraction(self, share, device):
        torch.cuda.set_per_process_memory_fraction(share, device)

    def options(self, text):
        if hasattr(torch._C, "_accelerator_setAllocatorSettings"):
            torch._C._accelerator_setAllocatorSettings(text)
        else:
            torch.cuda.memory._set_allocator_settings(text)

    def snapshot(self):
        torch.cuda.memory._snapshot()

    def reset_peaks(self):
        torch.cuda.reset_peak_memory_stats()


def in_another_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


def straight_line(operations):
    """Each operation on a line of its own, so that its stack is another one, as in a program that somebody wrote."""
    lines = "\n".join(f"interpreter.do({operation!r})" for operation in operations)
    return compile(lines, "random_program.py", "exec")
