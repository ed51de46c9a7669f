"""GPT training with activation checkpointing."""
import figures
import gpt
import objects_told
import torch
import torch.utils.checkpoint


def main():
    model = gpt.on_gpu(checkpoint=True)
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        model.loss(gpt.some_words(16, 1024)).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()


main()
