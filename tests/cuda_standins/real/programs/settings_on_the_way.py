"""Options and memory fractions that a program sets while it runs, as inference engines do, some of which
PyTorch refuses."""
import figures
import torch

MIB = 1 << 20


def block(mib):
    return torch.empty(mib * MIB, dtype=torch.uint8, device="cuda")


def set_options(text):
    setter = getattr(torch._C, "_accelerator_setAllocatorSettings", None)
    (setter or torch.cuda.memory._set_allocator_settings)(text)


def churn(held, sizes):
    """Fails where the fraction says so."""
    failures = 0
    for size in sizes:
        try:
            held.append(block(size))
        except torch.cuda.OutOfMemoryError:
            failures += 1
            del held[::2]
        if len(held) % 3 == 0:
            del held[0]
    return failures


def main():
    held, failures = [], 0
    failures += churn(held, range(3, 90, 4))
    set_options("max_split_size_mb:21")
    failures += churn(held, range(90, 3, -5))
    torch.cuda.set_per_process_memory_fraction(0.01)
    failures += churn(held, [23, 170, 44, 61, 130, 90, 15, 200, 310, 9])
    set_options("garbage_collection_threshold:0.5,roundup_power2_divisions:4")
    try:
        set_options("max_split_size_mb:64,nonsense:1")
    except (RuntimeError, ValueError):
        pass
    failures += churn(held, range(5, 150, 7))
    torch.cuda.set_per_process_memory_fraction(0.02)
    set_options("")
    failures += churn(held, range(150, 5, -9))
    torch.cuda.set_per_process_memory_fraction(1.0)
    failures += churn(held, range(5, 400, 31))
    print("FAILURES", failures)


main()
