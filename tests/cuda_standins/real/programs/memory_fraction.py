"""Only a part of the device's memory for this process."""
import figures
import torch


def main():
    torch.cuda.set_per_process_memory_fraction(0.1)
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total, (free, total)
    held, failures = [], 0
    for step in range(60):
        try:
            held.append(torch.empty(150 << 20, dtype=torch.uint8, device="cuda"))
        except torch.cuda.OutOfMemoryError:
            failures += 1
            del held[::3]
        if step % 5 == 4:
            del held[step % len(held)]
    print("FAILURES", failures)


main()
