"""Sizes that operations ask the allocator for, with the scratch of CUDA's libraries:
library_memory.py OUT.jsonl [FAMILY...]

Each line is one operation, with its sizes in the order of its requests. The same command inside
`vramlab dry-run` tells the dry ones, and `library_memory.py --compare A B` compares the two: it
leaves with 1 where they differ. With 77 where torch or a GPU is missing."""

import itertools
import json
import random
import sys


def attention(torch):
    """Batch, heads, queries, keys, width of a head, causal, data type, backward pass too."""
    kinds = [(dtype, causal, backward) for dtype in ("bfloat16", "float16") for causal in (False, True)
             for backward in (False, True)]
    shapes = [(batch, heads, 1, keys, width) for batch, heads in ((1, 1), (1, 8), (1, 132), (2, 32), (4, 8), (16, 32))
              for keys in (16, 512, 513, 1000, 1024, 2048, 4096, 8192) for width in (64, 128)]
    shapes += [(4, 8, queries, keys, 64) for queries in (2, 8, 16, 64) for keys in (64, 1024, 4096)]
    shapes += [(batch, heads, length, length, width) for batch, heads in ((1, 1), (8, 8))
               for length in (1, 64, 200, 2048) for width in (32, 64, 128, 256)]
    for shape, (dtype, causal, backward) in itertools.product(shapes, kinds):
        batch, heads, queries, keys, width = shape
        if queries != keys and (causal or backward or dtype == "float16"):
            continue

        def run():
            made = [torch.ones(batch, heads, length, width, dtype=getattr(torch, dtype), device="cuda",
                               requires_grad=backward) for length in (queries, keys, keys)]
            found = torch.nn.functional.scaled_dot_product_attention(*made, is_causal=causal)
            if backward:
                found.sum().backward()
        yield f"attention {shape} {dtype} {'causal' if causal else 'whole'} {'backward' if backward else 'forward'}", run


def convolutions(torch):
    """Batch, channels in and out, size of the picture, of the kernel, stride, groups."""
    shapes = [(batch, 3, 64, size, 7, 2, 1) for batch in (1, 8, 32) for size in (64, 224)]
    shapes += [(batch, width, width, size, kernel, stride, 1) for batch in (1, 8, 32)
               for width, size in ((64, 56), (128, 28), (256, 14), (512, 7)) for kernel in (1, 3) for stride in (1, 2)]
    shapes += [(16, 32, 32, 32, 5, 1, 1), (16, 64, 64, 32, 3, 1, 64), (16, 64, 128, 32, 3, 1, 4)]
    for shape, dtype, layout in itertools.product(shapes, ("float32", "bfloat16"), ("contiguous_format", "channels_last")):
        batch, given, made, size, kernel, stride, groups = shape

        def run():
            memory_format = getattr(torch, layout)
            layer = torch.nn.Conv2d(given, made, kernel, stride, kernel // 2, groups=groups, bias=False,
                                    device="cuda", dtype=getattr(torch, dtype)).to(memory_format=memory_format)
            x = torch.ones(batch, given, size, size, dtype=getattr(torch, dtype), device="cuda",
                           requires_grad=True)
            layer(x.contiguous(memory_format=memory_format)).sum().backward()
        yield f"convolution {shape} {dtype} {layout}", run


def other_convolutions(torch, seed=1):
    """Chosen at random with a fixed seed: one to three dimensions, transposed, dilated, grouped."""
    chosen = random.Random(seed)
    for _ in range(400):
        dimensions = chosen.choice((1, 2, 2, 2, 3))
        given, made = (chosen.choice((4, 16, 32, 64, 128, 320, 512)) for _ in range(2))
        groups = chosen.choice((1, 1, 1, 1, given)) if given == made else 1
        size = chosen.choice({1: (64, 500, 3000), 2: (7, 14, 32, 56, 112), 3: (4, 8, 16)}[dimensions])
        kernel, stride, dilation = chosen.choice((1, 2, 3, 3, 3, 5, 7)), chosen.choice((1, 1, 2)), chosen.choice((1, 1, 1, 2))
        batch, dtype = chosen.choice((1, 2, 8, 32)), chosen.choice(("float32", "bfloat16", "float16"))
        transposed = chosen.random() < 0.15
        if kernel * dilation > size or (dimensions == 3 and kernel > 3):
            continue

        def run():
            kind = getattr(torch.nn, f"Conv{'Transpose' if transposed else ''}{dimensions}d")
            layer = kind(given, made, kernel, stride, kernel // 2, groups=groups, dilation=dilation, bias=False,
                         device="cuda", dtype=getattr(torch, dtype))
            x = torch.ones(batch, given, *[size] * dimensions, dtype=getattr(torch, dtype), device="cuda",
                           requires_grad=True)
            layer(x).sum().backward()
        shape = (batch, given, made, size, kernel, stride, groups, dilation)
        yield f"convolution{' transposed' if transposed else ''} {dimensions}d {shape} {dtype}", run


def more_convolutions(torch):
    """Others of the same kind: a model that was fitted to the former is tried on these."""
    return other_convolutions(torch, seed=2)


def recurrent(torch):
    for kind, layers, both, dtype, (batch, length, given, width) in itertools.product(
            ("LSTM", "GRU", "RNN"), (1, 2), (False, True), ("float32", "float16"),
            ((4, 10, 32, 64), (64, 35, 650, 650), (16, 128, 256, 512), (1, 7, 16, 16))):

        def run():
            layer = getattr(torch.nn, kind)(given, width, layers, bidirectional=both, device="cuda",
                                            dtype=getattr(torch, dtype))
            x = torch.ones(length, batch, given, device="cuda", dtype=getattr(torch, dtype), requires_grad=True)
            layer(x)[0].sum().backward()
            with torch.no_grad():
                layer(x)
        yield f"recurrent {kind} layers={layers} both={both} {dtype} {batch, length, given, width}", run


LINEAR_ALGEBRA = ("cholesky", "qr", "svd", "svdvals", "eigh", "eigvalsh", "inv", "det", "pinv", "lu_factor", "solve",
                  "lstsq", "matrix_rank", "slogdet", "eig")


def linear_algebra(torch):
    for name, size, batch, dtype in itertools.product(LINEAR_ALGEBRA, (2, 16, 32, 33, 64, 100, 128, 256, 512, 1000), ((), (3,)),
                                                      ("float32", "float64", "complex64")):
        if batch and size > 128:
            continue

        def run():
            x = torch.eye(size, dtype=getattr(torch, dtype), device="cuda").expand(*batch, size, size).contiguous() * 2
            given = (x, x.clone()) if name in ("solve", "lstsq") else (x,)
            getattr(torch.linalg, name)(*given)
        yield f"linalg {name} {size} {batch} {dtype}", run


def transforms(torch):
    for name, size, batch, dtype in itertools.product(("fft", "rfft", "fft2", "ifft"), (8, 60, 64, 97, 128, 1000, 1021, 1024, 4096, 5000),
                                                      (1, 16), ("float32", "float64", "complex64")):
        if (name == "fft2" and size > 1024) or (name == "rfft" and dtype == "complex64"):
            continue

        def run():
            shape = (batch, size, size) if name == "fft2" else (batch, size)
            getattr(torch.fft, name)(torch.ones(shape, dtype=getattr(torch, dtype), device="cuda"))
        yield f"fft {name} {size} x{batch} {dtype}", run


def sparse(torch):
    for size, dtype in itertools.product((16, 64, 1000), ("float32", "float64")):
        def run():
            m = torch.eye(size, dtype=getattr(torch, dtype), device="cuda")
            torch.sparse.mm(m.to_sparse_csr(), m.to_sparse_csr())
            torch.sparse.mm(m.to_sparse(), m)
        yield f"sparse {size} {dtype}", run


def asked(torch, run):
    """Sizes of one run's requests, or the error's kind. The first run makes handles and plans."""
    try:
        run()
        torch.cuda.memory._record_memory_history("all", context=None, max_entries=100_000)
        run()
        torch.cuda.synchronize()
        trace = torch.cuda.memory._snapshot()["device_traces"][0]
    except (RuntimeError, ValueError) as error:
        return type(error).__name__
    finally:
        torch.cuda.memory._record_memory_history(None)
    return [entry["size"] for entry in trace if entry["action"] == "alloc"]


FAMILIES = {"attention": attention, "convolutions": convolutions,
            "other_convolutions": other_convolutions,
            "more_convolutions": more_convolutions, "recurrent": recurrent,
            "linear_algebra": linear_algebra, "transforms": transforms, "sparse": sparse}


def tell(path, families):
    import torch
    torch.manual_seed(1)
    x = torch.ones(64, 64, device="cuda")
    (x @ x).sum().item()
    with open(path, "w") as file:
        for family in families:
            for name, run in FAMILIES[family](torch):
                file.write(json.dumps({"operation": name, "sizes": asked(torch, run)}) + "\n")


def compare(paths):
    one, other = ([json.loads(line) for line in open(path)] for path in paths)
    counts = {}
    for a, b in zip(one, other, strict=True):
        family = a["operation"].split()[0]
        same = a["sizes"] == b["sizes"]
        counts.setdefault(family, [0, 0])[same] += 1
        if not same:
            print(f"DIFFERS {a['operation']}: {a['sizes']} and {b['sizes']}")
    for family, (differing, same) in counts.items():
        print(f"{family}: {same} of {differing + same} operations ask for the same")
    sys.exit(any(differing for differing, _ in counts.values()))


def main():
    if sys.argv[1] == "--compare":
        compare(sys.argv[2:4])
    import training
    training.needs_gpu()
    tell(sys.argv[1], sys.argv[2:] or FAMILIES)


if __name__ == "__main__":
    main()
