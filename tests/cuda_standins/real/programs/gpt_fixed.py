"""GPT training with batches of one length."""
import figures
import gpt
import objects_told
import torch


def main():
    model = gpt.on_gpu()
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        loss = model.loss(gpt.some_words(8, 513))
        loss.backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()
        print("loss", loss.item())


main()
