"""torch.compile with the backend that needs no GPU."""
import figures
import gpt
import objects_told
import torch


def main():
    model = gpt.on_gpu(layers=2)
    loss_of = torch.compile(model.loss, backend="aot_eager")
    optimizer = torch.optim.AdamW(model.parameters())
    for _ in range(3):
        loss_of(gpt.some_words(4, 513)).backward()
        optimizer.step()
        objects_told.tell(model, optimizer)
        optimizer.zero_grad()


main()
