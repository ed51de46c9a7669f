"""Batches that grow until they do not fit, smaller ones afterwards: the program catches it and goes
on. Run with little memory."""
import figures
import gpt
import torch


def main():
    model = gpt.on_gpu(layers=4)
    optimizer = torch.optim.AdamW(model.parameters())
    batch, failures = 2, 0
    for _ in range(12):
        try:
            model.loss(gpt.some_words(batch, 1000)).backward()
            optimizer.step()
            batch *= 2
        except torch.cuda.OutOfMemoryError as failure:
            assert "GiB" in str(failure) or "MiB" in str(failure), failure
            failures += 1
            batch //= 4
        optimizer.zero_grad()
    print("FAILURES", failures)
    assert failures >= 2


main()
