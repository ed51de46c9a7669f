"""torch.compile with inductor: kernels are compiled by Triton, tried out, and launched."""
import figures
import gpt
import objects_told
import torch


def main():
    model = gpt.on_gpu(width=256, layers=2, heads=4)
    loss_of = torch.compile(model.loss)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        loss_of(gpt.some_words(4, 257)).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()


# Triton's compilers are processes that import this file.
if __name__ == "__main__":
    main()
