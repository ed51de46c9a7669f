"""A GPT trained with the 8-bit Adam of bitsandbytes."""
import bitsandbytes
import figures
import gpt
import objects_told


def main():
    model = gpt.on_gpu(layers=2)
    optimizer = bitsandbytes.optim.AdamW8bit(model.parameters())
    for _ in range(3):
        model.loss(gpt.some_words(4, 513)).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()


main()
