"""Gradients of four small batches before each step, in bfloat16."""
import figures
import gpt
import objects_told
import torch


def main():
    model = gpt.on_gpu().to(torch.bfloat16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(12):
        (model.loss(gpt.some_words(4, 1024)) / 4).backward()
        if step % 4 == 3:
            optimizer.step()
            objects_told.tell(model, optimizer)
            optimizer.zero_grad(set_to_none=step % 8 == 3)


main()
