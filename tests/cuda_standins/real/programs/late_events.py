"""Batches made on a second stream and used on the first: record_stream, with work still under way
when they are freed."""
import figures
import torch


def main():
    side, here = torch.cuda.Stream(), torch.cuda.current_stream()
    weight = torch.randn(2048, 2048, device="cuda")
    for step in range(20):
        with torch.cuda.stream(side):
            batch = torch.randn(512 + 64 * (step % 5), 2048, device="cuda")
        here.wait_stream(side)
        batch.record_stream(here)
        for _ in range(10):
            batch = torch.relu(batch @ weight)
            batch.record_stream(side)
        del batch
    torch.cuda.synchronize()
    torch.randn(512, 2048, device="cuda")


main()
